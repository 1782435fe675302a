// What is wrong with agents: what their readers say, and what looks like a mistake.
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { invalidInput } from "../../errors/index.ts";
import type { CheckFinding, CheckWish, Registry } from "../../ports/index.ts";
import type { AgentDefinition } from "../../schema/index.ts";
import type { Format, FormatId } from "../formats/format.ts";
import { isInside } from "../inside.ts";
import { readAgentText } from "../own-format/read-agent-text.ts";
import { alikePairs } from "./alike-descriptions.ts";
import { formatByPlace } from "./detect-format.ts";
import { textOf } from "./foreign-files.ts";
import { lintAgent, type LintOptions } from "./lint-agent.ts";
import { absolutePath, type Roots, shownPath } from "./shown-path.ts";

export interface CheckOptions extends LintOptions {
  readonly roots: Roots;
  readonly registry: Registry;
  load(id: FormatId): Promise<Format>;
}

export interface Checked {
  readonly checked: number;
  readonly findings: readonly CheckFinding[];
}

interface CheckedAgent {
  readonly definition: AgentDefinition;
  readonly source: string;
}

export async function checkAgents(wish: CheckWish, options: CheckOptions): Promise<Checked> {
  const { agents, findings } = wish.path === undefined ? await all(options) : await below(wish.path, wish, options);
  const pairs = alikePairs(agents).map(([one, other]): CheckFinding => {
    const [name, second] = [one.definition.name, other.definition.name];
    return problem(other.source, `"${second}" can hardly be told from "${name}" (${one.source}): their descriptions are alike`);
  });
  return { checked: agents.length, findings: [...findings, ...pairs] };
}

const problem = (source: string, message: string): CheckFinding => ({ kind: "problem", source, message });
const note = (source: string, message: string): CheckFinding => ({ kind: "note", source, message });

type Found = { readonly agents: (CheckedAgent & AgentDefinition)[]; readonly findings: CheckFinding[] };

async function all(options: CheckOptions): Promise<Found> {
  return { agents: [], findings: [] };
}
