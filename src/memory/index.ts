export { fileMemory, type MemoryPlaces } from "./file-memory.ts";
export { redactedMemory } from "./redacted-memory.ts";
