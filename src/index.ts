// The library. Every export here is public: add to this list by name, and on purpose.
export { type Cadre, type CadreOptions, openCadre } from "./app/index.ts";
export { CadreError, type ErrorCode } from "./errors/index.ts";
export type * from "./ports/index.ts";
export type * from "./schema/index.ts";
