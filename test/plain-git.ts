/** For git as it comes: without what whoever runs these tests has set up for themselves. */
export const PLAIN_GIT = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
