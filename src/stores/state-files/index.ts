export { type Layout, type LayoutDialect, makeLayout } from "./layout.ts";
export { liveLogs, type LiveLogs } from "./live-logs.ts";
export type { ForeignWish } from "./judge-foreign.ts";
export { type ForeignOptions, type ForeignStates, readForeignStates } from "./read-foreign-states.ts";
export { type Repaired, repairStateFiles } from "./repair-state-files.ts";
export type { StateFileOptions } from "./state-writer.ts";
export { withStateFiles } from "./with-state-files.ts";
