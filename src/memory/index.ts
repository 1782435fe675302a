export { fileMemory } from "./file-memory.ts";
export { redactedMemory } from "./redacted-memory.ts";
