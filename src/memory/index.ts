export { fileMemory, type MemoryPlaces } from "./file-memory.ts";
