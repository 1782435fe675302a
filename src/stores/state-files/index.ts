export type { ForeignWish } from "./judge-foreign.ts";
export { makeLayout, ownFilesIn, scopeIn } from "./layout.ts";
export { liveLogs } from "./live-logs.ts";
export { type ForeignOptions, readForeignStates } from "./read-foreign-states.ts";
export { repairStateFiles } from "./repair-state-files.ts";
export type { StateFileOptions } from "./state-writer.ts";
export { withStateFiles } from "./with-state-files.ts";
