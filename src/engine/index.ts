export type { TaskRequest } from "./admit.ts";
export { type Engine, openEngine } from "./engine.ts";
export { expireSessions, expiryOf } from "./expire-sessions.ts";
export { canGoOn } from "./recover.ts";
export type { WorkOptions } from "./work.ts";
