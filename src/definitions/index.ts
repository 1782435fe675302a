// Where agents come from.
export { fileRegistry } from "./file-registry.ts";
export { joinRegistries } from "./join-registries.ts";
export { memoryRegistry } from "./memory-registry.ts";
export { trustFile } from "./trust-file.ts";
