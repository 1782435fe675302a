// The contracts, for every reader of Cadre's data. Browser-safe: this folder imports zod and nothing else.
export * from "./agent.ts";
export * from "./amount.ts";
export * from "./approval.ts";
export * from "./attempt.ts";
export * from "./command.ts";
export * from "./control-event.ts";
export * from "./envelope.ts";
export * from "./id.ts";
export * from "./json.ts";
export * from "./live-part.ts";
export * from "./policy.ts";
export * from "./session.ts";
export * from "./tape.ts";
export * from "./task-event.ts";
export * from "./task-view.ts";
export * from "./task.ts";
export * from "./worker.ts";
