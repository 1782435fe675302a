// The library. Every export here is public: add to this list by name, and on purpose.
export { type Cadre, type CadreOptions, openCadre } from "./app/index.ts";
export {
  type AgentWish,
  type ConfiguredAgent,
  defineAgent,
  type DefinedAgent,
  parseOutput,
} from "./app/define-agent.ts";
export { CadreError, type ErrorCode } from "./errors/index.ts";
export type * from "./ports/index.ts";
export type * from "./schema/index.ts";
