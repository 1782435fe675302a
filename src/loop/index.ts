export type { LoopParts } from "./loop-parts.ts";
export { nativeBackend } from "./native-backend.ts";
