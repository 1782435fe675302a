// Manifest tools with real programs in real custody.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { trackedCustody } from "../../../src/custody/index.ts";
import type { Attempt, AttemptScope, Clock, Tool, ToolResult } from "../../../src/ports/index.ts";
import { brandId, type Json, type LivePart } from "../../../src/schema/index.ts";
import { fakeMint } from "../../../src/testing/index.ts";
import { systemClock } from "../../../src/platform/system-clock.ts";
import { manifestTools } from "../../../src/tools/manifest/manifest-tools.ts";
import { openKeep } from "../../custody/kit.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-manifest-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
    if (text.startsWith("#!")) chmodSync(join(base, path), 0o755);
  }
  return base;
}

export interface OpenTools {
  readonly base: string;
  readonly tools: readonly Tool[];
  readonly stop: AbortController;
  readonly parts: LivePart[];
  /** Every command as confinement has seen it. */
  readonly wrapped: string[][];
  readonly run: (name: string, input: Json) => Promise<ToolResult>;
}

interface Wishes {
  readonly trusted?: boolean;
  readonly allow?: readonly string[];
  readonly clock?: Clock;
}

export async function openTools(
  files: Readonly<Record<string, string>>,
  { trusted = true, allow = ["PATH", "HOME", "LANG"], clock = systemClock }: Wishes = {},
): Promise<OpenTools> {
  const base = folderWith(files);
  mkdirSync(join(base, "work"), { recursive: true });
  const stop = new AbortController();
  const parts: LivePart[] = [];
  const wrapped: string[][] = [];
  const attempt = {
    task: { spec: { policy: { env: { allow } } } },
    workspace: { root: join(base, "work") },
    keep: openKeep(trackedCustody()),
    confinement: {
      wrap: (command: { file: string; args: readonly string[] }) => {
        wrapped.push([command.file, ...command.args]);
        return command;
      },
    },
  } as unknown as Attempt;
  const scope = { signal: stop.signal, live: (part: LivePart) => void parts.push(part) } as unknown as AttemptScope;
  const layers = [
    { folder: join(base, "project"), trustRoot: base },
    { folder: join(base, "user"), trustRoot: null },
  ];
  const trust = { isTrusted: async () => trusted, pinsOf: async () => null };
  const { tools } = await manifestTools({ layers, trust, clock, mint: fakeMint() })(attempt, scope);
  return {
    base,
    tools,
    stop,
    parts,
    wrapped,
    async run(name, input) {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`there is no ${name}`);
      const plan = tool.plan(input);
      return plan.ok ? tool.run(input, brandId("call", "1")) : { ok: false, text: `not planned: ${plan.problem}` };
    },
  };
}

/** What the program wrote, out of its envelope. */
export const said = ({ text }: ToolResult): string =>
  /^<cadre:context [^>]+>\n([^]*?)\n?\n<\/cadre:context>$/.exec(text)?.[1] ?? `no envelope: ${text}`;
