export type { TaskRequest } from "./admit.ts";
export { type Engine, openEngine } from "./engine.ts";
export type { WorkOptions } from "./work.ts";
