export { installedLaunchers, type Launcher } from "./launchers.ts";
export { namespaceCustody } from "./namespace-custody.ts";
export { openCustody } from "./open-custody.ts";
export { keepsItsPromise } from "./probe.ts";
export { trackedCustody } from "./tracked-custody.ts";
