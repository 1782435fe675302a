// What we need from outside, each with its contract in prose.
export type * from "./attempt-scope.ts";
export type * from "./backend.ts";
export type * from "./clock.ts";
export type * from "./confinement.ts";
export type * from "./credentials.ts";
export type * from "./gate.ts";
export type * from "./host-config.ts";
export type * from "./live-parts.ts";
export type * from "./liveness.ts";
export type * from "./memory.ts";
export type * from "./mint.ts";
export type * from "./model.ts";
export type * from "./registry.ts";
export type * from "./store.ts";
export type * from "./tool.ts";
export type * from "./trust.ts";
export type * from "./workspace.ts";
