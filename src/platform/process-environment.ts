/** The worker's own environment. Programs get of it what their policy names, and nothing else. */
export const workerEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;
