// Gemini CLI, in three forms: Markdown (today's), TOML (an older one) and the persona of an extension. Agents are
// written as Markdown.
import type { Format } from "../format.ts";
import { readGeminiMarkdown, writeGeminiMarkdown } from "./markdown.ts";
import { readPersona } from "./persona.ts";
import { readGeminiToml } from "./toml.ts";

export const gemini: Format = {
  id: "gemini",
  label: "Gemini CLI",
  places: [
    { of: "project", path: ".gemini/agents", endings: [".md", ".toml"] },
    { of: "project", path: ".gemini/extensions", endings: [".json"] },
    { of: "user", path: ".gemini/agents", endings: [".md", ".toml"] },
    { of: "user", path: ".gemini/extensions", endings: [".json"] },
  ],
  read(file) {
    const name = file.below.toLowerCase();
    if (name.endsWith(".toml")) return readGeminiToml(file.text);
    return name.endsWith(".json") ? readPersona(file.text) : readGeminiMarkdown(file);
  },
  write: (definition) => writeGeminiMarkdown(definition),
};
