/** By this name other programs know our own tools: `mcp__cadre__complete_task`. */
export const SERVER = "cadre";

/** As most programs call a tool of a server. */
export const calledBy = (tool: string): string => `mcp__${SERVER}__${tool}`;
