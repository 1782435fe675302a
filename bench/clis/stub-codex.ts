// A program in place of codex that says what codex would, in next to no time; and a Cadre that runs agents on it.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codex } from "../../src/backends/codex/codex.ts";
import type { CadreOptions } from "../../src/app/index.ts";

const line = (event: object): string => JSON.stringify(event);
const USAGE = { input_tokens: 11, cached_input_tokens: 0, output_tokens: 7 };

/** What it says: `thoughts` go by without being kept. */
const HEAD = line({ type: "thread.started", thread_id: "bench" });
const THOUGHT = line({ type: "item.completed", item: { id: "i", type: "reasoning", text: "x".repeat(1_000) } });
const TAIL = [
  line({ type: "item.completed", item: { id: "j", type: "agent_message", text: "forty-two" } }),
  line({ type: "turn.completed", usage: USAGE }),
];

export interface StubPlace {
  readonly project: string;
  readonly program: string;
  readonly options: CadreOptions;
}

/** `script` is what stands for the program, once the lines of its answer are in `answer.jsonl` beside it. */
export function stubCodex(script: string, confinement: "off" | "best", thoughts = 0): StubPlace {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "cadre-bench-")));
  const bin = join(project, "bin");
  const user = join(project, "user");
  for (const folder of [bin, join(user, ".cadre")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(bin, "package.json"), JSON.stringify({ name: codex.package, version: codex.tested }));
  const said = [HEAD, ...Array.from({ length: thoughts }, () => THOUGHT), ...TAIL];
  writeFileSync(join(bin, "answer.jsonl"), `${said.join("\n")}\n`);
  const program = join(bin, "codex");
  writeFileSync(program, `#!/bin/sh\ncd "${bin}"\n${script}\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(user, ".cadre", "config.yml"), `security:\n  confinement: ${confinement}\n`);
  return {
    project,
    program,
    options: {
      cwd: project,
      home: join(project, ".cadre"),
      userHome: user,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, CODEX_API_KEY: "dummy-key-of-the-bench" },
      agents: [{ name: "worker", description: "Works.", backend: "codex", permission_mode: "plan" }],
      settings: { maxConcurrent: 50, rateLimitPerMin: 1_000_000 },
    },
  };
}

/** Reads its input, then answers. */
export const ANSWERS = "cat > /dev/null; exec cat answer.jsonl";
export const HANGS = "exec sleep 600";
