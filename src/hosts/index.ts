export { openHostConfig } from "./open-host-config.ts";
