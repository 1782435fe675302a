// The main job on embedded defaults: five agents on a copy of a sample repository.
import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { packageRoot } from "../../app/version.ts";
import type { TaskView } from "../../schema/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, EXIT_FOR_STATUS } from "../exit-codes.ts";
import { taskTable } from "../render/tasks.ts";
import { runAndWatch } from "../run-and-watch.ts";

const TEST_LIMIT_MS = 30_000;

export const command = defineCommand({
  usage: "demo",
  summary: "See it work: five agents on a copy of a sample repository, without a key",
  insteadInSandbox: "Run it outside of any running agent, or run an agent of this project: cadre agents",
  operations: ["task.start", "task.list"],
  args: z.object({}),
  async run(context) {
    const { out } = context;
    const project = await copyOfSample();
    out.talk("Five agents work on a copy of a sample repository, on Cadre's own loop. What they say comes from a tape");
    out.talk("instead of a model; what they do is real: the same queue, policy, tools and log as in every run.\n");

    await using cadre = await context.open({ home: join(project, ".cadre"), trusted: [project], askable: "nobody" });
    const request = {
      agent: "lead",
      prompt: "Get this package ready for its first users.",
      limits: { budgetUsd: 0.05 },
    };
    const [lead] = await runAndWatch(context, cadre, [request]);
    if (lead === undefined) return EXIT.bug;
    const { tasks } = await cadre.call("task.list", { root: lead.id });
    const isStopped = context.signal.aborted;
    const tests = isStopped ? NOT_RUN : await runTests(project);

    out.talk("");
    out.data({ project, tasks, tests }, (_, colors) =>
      [taskTable(tasks.toReversed(), colors), "", answerOf(lead)].join("\n"),
    );
    closingWords(context, project, tests);
    return tests.passed || isStopped ? EXIT_FOR_STATUS[lead.status] : EXIT.taskFailed;
  },
});

async function copyOfSample(): Promise<string> {
  const project = await realpath(await mkdtemp(join(tmpdir(), "cadre-demo-")));
  await cp(join(packageRoot(), "demo", "project"), project, { recursive: true });
  return project;
}

interface TestRun {
  readonly passed: boolean;
  readonly summary: string;
}

/** What was stopped is half done: it need not pass. */
const NOT_RUN: TestRun = { passed: false, summary: "not run" };

/** Not the agents' word for it: what they wrote is run, and judged by its exit code. */
async function runTests(cwd: string): Promise<TestRun> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const run = promisify(execFile)(process.execPath, ["--test"], { cwd, env, timeout: TEST_LIMIT_MS });
  const { stdout, passed } = await run.then(
    (done) => ({ stdout: done.stdout, passed: true }),
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? "", passed: false }),
  );
  const count = (word: string) => new RegExp(`${word} (\\d+)`).exec(stdout)?.[1] ?? "0";
  return { passed, summary: `${count("pass")} passed, ${count("fail")} failed` };
}

const answerOf = ({ outcome }: TaskView): string =>
  outcome?.status === "completed" ? outcome.answer : "The lead did not finish.";

function closingWords({ out }: CommandContext, project: string, { passed, summary }: TestRun): void {
  const { green, red, dim } = out.colors;
  out.talk(`\nnode --test on what they wrote: ${(passed ? green : red)(summary)}`);
  out.talk(`Their work is in ${project}`);
  out.talk(dim("With a model instead of the tape, in a repository of yours:"));
  out.talk(dim("  export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY)"));
  out.talk(dim('  cadre run Explore "How is this project built?"'));
}
