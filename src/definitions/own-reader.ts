import type { TextReader } from "./agent-file.ts";

/** Our own format. Loaded when there is a file to read: most commands read none, and the YAML parser is large. */
export const ownReader: TextReader = {
  id: "cadre",
  async read({ path, text }) {
    const { readAgentText } = await import("./own-format/read-agent-text.ts");
    const { notesOn } = await import("./own-format/notes-on.ts");
    const read = await readAgentText(text, path);
    if (read.ok) {
      const problems = read.warnings.map((message) => ({ source: path, message }));
      return { agents: [{ definition: read.definition, notes: notesOn(read.definition) }], problems };
    }
    // Read together: `file:line:column: what`.
    const problems = read.problems.map(({ line, column, message }) => ({
      source: `${path}:${line}:${column}`,
      message,
    }));
    return { agents: [], problems };
  },
};
