// Runs the program that the agent's definition names: the prompt is its input, its output is the answer.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { capText } from "../../domain/summaries.ts";
import { findProgram } from "../../platform/find-program.ts";
import { later } from "../../platform/later.ts";
import { namedFiles } from "../../platform/named-files.ts";
import type { Attempt, AttemptScope, Backend, BackendEnd, Command, Kept } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { capture, Head, Tail } from "./captured-output.ts";
import { type Captured, endOf, fail } from "./command-end.ts";
import { programEnvironment } from "./program-environment.ts";

const KILOBYTE = 1024;
const ONE_MORE = 64; // than is let through, so that the engine sees that there was more
const STDERR_TAIL = 8 * KILOBYTE;

export function commandBackend({ home }: { readonly home: string }): Backend {
  return {
    name: "command",
    capabilities: {
      resume: "none",
      approvals: false,
      steering: false,
      structuredOutput: false,
      toolFilter: false,
      usage: "none",
      largestPromptBytes: 64 * KILOBYTE * KILOBYTE,
      processes: true,
      lastWords: false,
    },
    run: (attempt, scope) => run(attempt, scope, home),
  };
}

async function run(attempt: Attempt, scope: AttemptScope, home: string): Promise<BackendEnd> {
  const { spec } = attempt.task;
  const [file, ...args] = spec.definition.command ?? [];
  if (file === undefined) return fail("backend_error", `"${spec.definition.name}" names no command to run`);
  const isConfined = attempt.confinement.label.commands !== "policy";
  const refusal = isConfined ? undefined : refuseUnconfined(spec);
  if (refusal !== undefined) return refusal;
  mkdirSync(join(home, "workspace"), { recursive: true, mode: 0o700 }); // CADRE_WORKSPACE names it
  const env = programEnvironment(attempt, home);
  const command = { file, args, cwd: attempt.workspace.root, env, reads: namedFiles(args) };
  // Custody looks for it, too; but behind a confinement's launcher, it would find the launcher.
  const found = isConfined ? findProgram(file, { cwd: command.cwd, path: env["PATH"] }) : undefined;
  if (found?.ok === false) return fail("backend_unavailable", found.problem);
  const running = runProgram(attempt, scope, command);
  if (!isConfined) await sayUnconfined(running, scope);
  const captured = await running;
  const end = endOf(captured, spec.definition.output !== undefined);
  if (end.kind === "failed") await sayWhatCame(captured, spec, scope);
  return end;
}

const UNCONFINED =
  "files and network are not enforced for this program: nothing confines it here, and it runs with all rights of its worker";

/** To write it while a quick program runs would take the processor from it, for about as long as it needs. */
const QUICK_MS = 6;

/** While the program runs; of one that has ended by then, together with its end. */
async function sayUnconfined(running: Promise<Captured>, scope: AttemptScope): Promise<void> {
  const note = { type: "note.taken", level: "warning", text: UNCONFINED } as const;
  const ended = await Promise.race([
    running,
    new Promise<undefined>((resolve) => later(QUICK_MS, () => resolve(undefined))),
  ]);
  // Of one that never ran there is nothing to say; and one that is stopped is not held up by a word.
  if (ended?.exited.kind === "unstarted" || scope.signal.aborted) return;
  if (ended === undefined) await scope.append(note);
  else scope.soon(note);
}

function refuseUnconfined({ policy }: TaskSpec): BackendEnd | undefined {
  if (!policy.modes.includes("plan")) return undefined;
  return fail(
    "refused",
    'the permission mode is "plan", and nothing on this machine could hold the program to reading',
  );
}

async function runProgram(attempt: Attempt, scope: AttemptScope, command: Command): Promise<Captured> {
  const { spec } = attempt.task;
  scope.signal.throwIfAborted();
  const program = attempt.keep.spawn(attempt.confinement.wrap(command));
  const stop = () => program.signal("SIGTERM");
  scope.signal.addEventListener("abort", stop, { once: true });
  const stdout = new Head(spec.limits.maxOutputKb * KILOBYTE + ONE_MORE);
  const stderr = new Tail(STDERR_TAIL);
  try {
    const [exited] = await Promise.all([
      program.exited,
      capture(program.stdout, "stdout", stdout, scope),
      capture(program.stderr, "stderr", stderr, scope),
      feed(program, spec),
    ]);
    return { exited, stdout, stderr };
  } finally {
    scope.signal.removeEventListener("abort", stop);
  }
}

async function feed(program: Kept, { instructions, prompt }: TaskSpec): Promise<void> {
  await program.write(instructions === "" ? prompt : `${instructions}\n\n${prompt}`);
  program.endInput();
}

/** Work that failed is not thrown away: what the program wrote until then stands in the log. */
async function sayWhatCame({ stdout }: Captured, { limits }: TaskSpec, scope: AttemptScope): Promise<void> {
  const { text } = capText(stdout.text, limits.maxOutputKb);
  if (text.trim() !== "" && !scope.signal.aborted) await scope.append({ type: "message.said", text });
}
