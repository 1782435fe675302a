import { extname } from "node:path";
import { patternsIn, unrunnablePatterns } from "./patterns.ts";
import { type AgentRead, readAgentMarkdown, readAgentYaml } from "./read-agent.ts";
import { show } from "./show.ts";

/** The text of one of our own files, by its ending, with everything that can be wrong with it looked at. */
export async function readAgentText(text: string, file: string): Promise<AgentRead> {
  const read = extname(file) === ".md" ? readAgentMarkdown(text, file) : readAgentYaml(text, file);
  if (!read.ok || read.definition.output === undefined) return read;
  const bad = await unrunnablePatterns(patternsIn(read.definition.output.schema));
  if (bad.length === 0) return read;
  return {
    ok: false,
    problems: bad.map(({ path, pattern, why }) => ({
      ...read.placeOf(["output", "schema", ...path]),
      message: `the pattern ${show(pattern)} cannot be run (${why}): there are no lookarounds and backreferences`,
    })),
  };
}
