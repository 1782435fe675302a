/** No agent is longer; a file that is, is no agent. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** Its settings alone: the YAML parser takes ten seconds for a megabyte of stray brackets. */
export const MAX_YAML_BYTES = 64 * 1024;
