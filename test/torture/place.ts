// A project for one trial: a lead that delegates to two jobs, each of which leaves a trace and a stubborn child.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAgentMarkdown } from "../../src/definitions/own-format/read-agent.ts";
import { pinOf } from "../../src/domain/rights.ts";
import { sha256 } from "../../src/platform/system-mint.ts";

export interface TrialPlace {
  readonly project: string;
  readonly home: string;
  readonly userHome: string;
  /** One line per run of a job: its task's id. */
  readonly effects: string;
  /** Occurs in the command line of everything that a job leaves running, and nowhere else on the machine. */
  readonly mark: string;
  remove(): void;
}

const lead = `---
name: lead
description: hands out two jobs
capabilities: [primary, orchestrator]
permission_mode: auto
tape:
  - say: I hand out two jobs.
  - together:
      - { delegate: job, prompt: one }
      - { delegate: job, prompt: two }
  - say: Both are done.
  - answer: done
---
`;

/** Writes its trace, leaves a child that has a session of its own, no environment and no ear for SIGTERM, and ends. */
const job = (effects: string, mark: string) => `---
name: job
description: leaves a trace and a stubborn child
permission_mode: auto
command:
  - sh
  - -c
  - |
    echo "$CADRE_TASK" >> ${effects}
    (env -i PATH="$PATH" setsid sh -c "trap '' TERM; sleep ${mark} & wait" >/dev/null 2>&1 &)
    sleep 0.03
    echo done
---
`;

/** What a person who trusts these agents has seen of one. */
function pinIn(file: string, text: string) {
  const read = readAgentMarkdown(text, file);
  if (!read.ok) throw new Error(`${file} cannot be read`);
  return pinOf(read.definition, sha256);
}

export function makePlace(trial: number, seed: number): TrialPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-torture-")));
  const [project, userHome] = [join(base, "project"), join(base, "user")];
  const home = join(project, ".cadre");
  mkdirSync(join(home, "agents"), { recursive: true });
  mkdirSync(join(userHome, ".cadre"), { recursive: true });
  // Where every task may write, confined as it is, and several at the same time.
  mkdirSync(join(home, "workspace"), { recursive: true });
  const effects = join(home, "workspace", "effects");
  const mark = `60.${process.pid}${seed}${String(trial).padStart(5, "0")}`;
  writeFileSync(effects, "");
  writeFileSync(join(home, "agents", "lead.md"), lead);
  writeFileSync(join(home, "agents", "job.md"), job(effects, mark));
  const trusted = {
    version: 1,
    folders: [{ path: project, grantedAt: "2026-01-01T00:00:00.000Z" }],
    pinned: [{ path: project, pins: [pinIn("lead.md", lead), pinIn("job.md", job(effects, mark))] }],
  };
  writeFileSync(join(userHome, ".cadre", "trust.json"), JSON.stringify(trusted));
  return { project, home, userHome, effects, mark, remove: () => rmSync(base, { recursive: true, force: true }) };
}
