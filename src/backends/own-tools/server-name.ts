/** By this name other programs know our own tools: `mcp__cadre__complete_task`. */
export const SERVER = "cadre";

/**
 * For a program that cannot be kept from the project's own servers, one of which `connect` writes under the name above:
 * with this name allowed and no other, that one is not started.
 */
export const SERVER_OF_ATTEMPT = "cadre-attempt";

/** As most programs call a tool of a server. */
export const calledBy = (tool: string): string => `mcp__${SERVER}__${tool}`;
