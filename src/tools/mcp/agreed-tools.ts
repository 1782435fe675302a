import { oneLine } from "../../domain/summaries.ts";
import type { AttemptScope } from "../../ports/index.ts";
import type { KnownTools } from "./known-tools.ts";
import type { McpTool } from "./offered-tools.ts";

export interface ToAgree {
  readonly server: string;
  /** The hash of the server itself. */
  readonly key: string;
  readonly tools: readonly McpTool[];
  readonly known: KnownTools;
  readonly scope: Pick<AttemptScope, "ask">;
  readonly note: (text: string) => Promise<void>;
}

/**
 * Those that are as they were agreed to. What a server has when it is first started is what a person agreed to with
 * the server; what is new or different later is put to a person, whole.
 */
export async function agreedTools({ server, key, tools, known, scope, note }: ToAgree): Promise<readonly McpTool[]> {
  const before = await known.of(key);
  if (before === null) {
    await known.agree(key, tools);
    return tools;
  }
  const changed = tools.filter(({ theirs, sha256 }) => before.get(theirs) !== sha256);
  if (changed.length === 0) return tools;
  const names = changed.map(({ theirs }) => theirs).join(", ");
  const answer = await scope.ask({
    kind: "tool",
    title: `The MCP server "${server}" has other tools than those that were agreed to`,
    body: changed
      .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }, null, 2))
      .join("\n"),
  });
  if (answer.verdict === "allow") {
    await known.agree(key, changed);
    return tools;
  }
  await note(`these tools are new or have changed, and nobody has agreed to them: ${oneLine(names, 300)}`);
  return tools.filter((tool) => !changed.includes(tool));
}
