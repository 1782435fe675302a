/** No agent is longer; a file that is, is no agent. */
export const MAX_FILE_BYTES = 1024 * 1024;
