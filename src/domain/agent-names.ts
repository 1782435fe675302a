/** Names are found without regard to case, and `_` is `-`: `explore` finds `Explore`. */
export const agentKey = (name: string): string => name.toLowerCase().replaceAll("_", "-");
