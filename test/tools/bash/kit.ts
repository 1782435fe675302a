// The Bash tool with real shells, in real custody, without an engine around it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/system-clock.ts";
import type { Clock, Confined, Custody, Tool, ToolResult, WorkspaceFiles } from "../../../src/ports/index.ts";
import { brandId, type Json, type LivePart, type Policy } from "../../../src/schema/index.ts";
import { type BashToolSet, bashTools } from "../../../src/tools/bash/bash-tools.ts";
import type { Shell } from "../../../src/tools/bash/find-shell.ts";
import { openKeep, temporaryFolder } from "../../custody/kit.ts";
import { sampleSpec, samplePolicy, taskAfter } from "../../domain/samples.ts";

export interface ShellWorld {
  readonly set: BashToolSet;
  readonly tool: Tool;
  readonly root: string;
  readonly parts: LivePart[];
  readonly abort: AbortController;
  run(command: string, more?: Readonly<Record<string, Json>>): Promise<ToolResult>;
}

const NO_FILES: WorkspaceFiles = {
  read: () => Promise.reject(new Error("a shell reads no files by itself")),
  write: () => Promise.reject(new Error("a shell writes no files by itself")),
};

export async function shellWorld(
  custody: Custody,
  more: {
    readonly policy?: Partial<Policy>;
    readonly clock?: Clock;
    readonly shell?: Shell;
    readonly wrap?: Confined["wrap"];
    readonly held?: "os" | "policy";
    readonly attempt?: number;
  } = {},
): Promise<ShellWorld> {
  const root = join(temporaryFolder(), "project");
  mkdirSync(join(root, "sub"), { recursive: true });
  const parts: LivePart[] = [];
  const abort = new AbortController();
  const task = { ...taskAfter(), spec: sampleSpec({ policy: samplePolicy(more.policy) }) };
  const home = join(root, ".cadre");
  const make = bashTools({ clock: more.clock ?? systemClock, home, shell: more.shell });
  const set = await make(
    {
      task,
      attempt: more.attempt ?? 1,
      token: "token-of-this-attempt",
      workspace: { root, base: root, reads: [], narrowed: [], files: NO_FILES, release: async () => null },
      confinement: {
        label: { commands: more.held ?? "policy", fileTools: "policy" },
        wrap: more.wrap ?? ((command) => command),
        letReach: async () => undefined,
        release: async () => undefined,
      },
      keep: openKeep(custody),
      own: { plan: join(home, "plans", "plan.md"), folder: join(home, "workspace"), scopes: [] },
    },
    { signal: abort.signal, live: (part) => void parts.push(part) },
  );
  const [tool] = set.tools;
  if (tool === undefined) throw new Error("there is no shell on this machine");
  let calls = 0;
  const run = (command: string, input: Readonly<Record<string, Json>> = {}) =>
    tool.run({ command, ...input }, brandId("call", `${++calls}`));
  return { set, tool, root, parts, abort, run };
}
