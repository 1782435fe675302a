// All formats by id. Each is loaded only when there is a file of it to read or to write: the parsers are large.
import type { Format, FormatId } from "./format.ts";

export { PLACES } from "./places.ts";

const LOADERS: Readonly<Record<FormatId, () => Promise<Format>>> = {
  gencode: async () => (await import("./gencode.ts")).gencode,
  claude: async () => (await import("./claude.ts")).claude,
  gemini: async () => (await import("./gemini/gemini.ts")).gemini,
  glee: async () => (await import("./glee.ts")).glee,
  codex: async () => (await import("./codex.ts")).codex,
  opencode: async () => (await import("./opencode/opencode.ts")).opencode,
  qwen: async () => (await import("./qwen.ts")).qwen,
  copilot: async () => (await import("./copilot.ts")).copilot,
  cursor: async () => (await import("./cursor.ts")).cursor,
  factory: async () => (await import("./factory.ts")).factory,
  kiro: async () => (await import("./kiro/kiro.ts")).kiro,
  goose: async () => (await import("./goose/goose.ts")).goose,
  roo: async () => (await import("./roo.ts")).roo,
  yeet: async () => (await import("./yeet.ts")).yeet,
};

export const loadFormat = (id: FormatId): Promise<Format> => LOADERS[id]();
