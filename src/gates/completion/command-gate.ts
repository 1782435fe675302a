import { readFile } from "node:fs/promises";
import { newPlan } from "../../domain/new-plan.ts";
import { isCode } from "../../platform/confined-folder.ts";
import { namedFiles } from "../../platform/named-files.ts";
import type { Attempt, Gate, GateVerdict } from "../../ports/index.ts";

const MAX_FEEDBACK = 4_000;
const KEPT = 64_000;

/** A program that must end well. It runs where the agent worked, confined and kept like the agent's own programs. */
export const commandGate = (name: string, command: readonly string[], path: string): Gate => ({
  name,
  async check(attempt) {
    const [file, ...args] = command;
    if (file === undefined) return refuse(`the gate "${name}" names no program`);
    const { workspace, confinement, keep } = attempt;
    const env = { PATH: path, HOME: workspace.root, LANG: "C.UTF-8" };
    const reads = namedFiles(args);
    const kept = keep.spawn(confinement.wrap({ file, args, cwd: workspace.root, env, reads }));
    kept.endInput();
    const [out, err, exited] = await Promise.all([tailOf(kept.stdout), tailOf(kept.stderr), kept.exited]);
    if (exited.kind === "exited" && exited.code === 0)
      return { passed: true, independent: await changedNothing(attempt) };
    const how =
      exited.kind === "exited"
        ? `ended with ${exited.code}`
        : exited.kind === "killed"
          ? `was ended by ${exited.signal}`
          : `could not be started: ${exited.message}`;
    return refuse(`${command.join(" ")} ${how}\n${`${out}\n${err}`.trim().slice(-MAX_FEEDBACK)}`.trim());
  },
});

/** An agent that only reads cannot have prepared what the gate looks at. Its plan is the one file that it writes. */
async function changedNothing({ task, own }: Attempt): Promise<boolean> {
  if (!task.spec.policy.modes.includes("plan")) return false;
  try {
    return (await readFile(own.plan, "utf8")) === newPlan(task.spec);
  } catch (error) {
    return isCode(error, "ENOENT"); // what is there and cannot be read may say anything
  }
}

async function tailOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of bytes) text = (text + decoder.decode(chunk, { stream: true })).slice(-KEPT);
  return text;
}

const refuse = (feedback: string): GateVerdict => ({ passed: false, reason: "gate_failed", feedback });
