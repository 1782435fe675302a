// What an agent asks at a terminal, and somebody answers elsewhere.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentFile, cadre, place } from "./command-line.ts";
import { hasScript, onTerminal } from "./on-terminal.ts";

const WRITES = agentFile(
  "asker",
  "  - write: asked.txt\n    content: hi\n  - answer: over",
  "tools: [Read, Write]\nworkspace: { allow_writes: true }\n",
);

test.runIf(hasScript)("a question that was answered elsewhere is taken back, and the run ends", async () => {
  const where = await place({ ".cadre/agents/asker.md": WRITES });
  const run = onTerminal(where, "run", "asker", "Write it");
  await run.until("Allow?");
  const { stdout } = await cadre(where, "inbox", "--json");
  const [approval = ""] = /appr_[a-z0-9]+/.exec(stdout) ?? [];
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security:\n  person_without_terminal: true\n");
  expect(await cadre(where, "inbox", "answer", approval, "--allow")).toMatchObject({ exit: 0 });
  const { exit, stdout: shown } = await run.done;
  expect(exit).toBe(0);
  expect(shown).toContain("over");
});

test.runIf(hasScript)("a question of a task that was stopped elsewhere is taken back, too", async () => {
  const where = await place({ ".cadre/agents/asker.md": WRITES });
  const run = onTerminal(where, "run", "asker", "Write it");
  await run.until("Allow?");
  expect(await cadre(where, "stop", "@last")).toMatchObject({ exit: 0 });
  expect((await run.done).exit).toBe(130);
});
