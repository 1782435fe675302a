// An attack as it would come: a project that somebody prepared, an agent that does what it was talked into, and
// a secret beside the project. The tools, the engine and the programs are the real ones.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Cadre, type CadreOptions, openCadre } from "../../src/app/index.ts";
import type { Json, TaskEvent, TaskView } from "../../src/schema/index.ts";
import type { Definition } from "../engine/kit.ts";

export const SECRET = "the-secret-beside-the-project";

export interface Scene {
  /** Around the project: nothing of it is the agent's. */
  readonly outside: string;
  readonly project: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string>>;
}

type Files = Readonly<Record<string, string>>;

export function lay(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A project with these files, and a home of the user's with these settings. Nobody has trusted it. */
export function scene(files: Files = {}, settings = ""): Scene {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "cadre-attack-")));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true, maxRetries: 5 }));
  const [project, userHome] = [join(outside, "project"), join(outside, "user")];
  lay(outside, { secret: SECRET, "user/.cadre/config.yml": settings });
  mkdirSync(join(project, ".cadre"), { recursive: true });
  lay(project, files);
  return { outside, project, userHome, env: { PATH: process.env["PATH"] ?? "", HOME: userHome } };
}

export async function openAt(where: Scene, options: CadreOptions = {}): Promise<Cadre> {
  const { project: cwd, userHome, env } = where;
  const cadre = await openCadre({ cwd, userHome, env, askable: "nobody", ...options });
  onTestFinished(() => cadre.close());
  return cadre;
}

export interface Call {
  readonly call: string;
  readonly input: Record<string, Json>;
}

/** How a call went: `refused` was not done at all. */
export interface Went {
  readonly call: Call;
  readonly how: "done" | "failed" | "refused";
  readonly text: string;
}

export const bash = (command: string): Call => ({ call: "Bash", input: { command } });

/** Everything that a definition can allow is allowed, and so nothing asked. */
export const FREE = {
  permission_mode: "auto",
  workspace: { allow_writes: true },
  policy: { fs: { read: ["."], write: ["."] }, network: true },
} satisfies Partial<Definition>;

/** An agent that has been talked into these calls, one after the other. What came of each, by the log. */
export async function attack(where: Scene, agent: object, calls: readonly Call[], options: CadreOptions = {}) {
  const tape = [...calls, { answer: "done" }];
  const definition = { name: "victim", description: "obeys", backend: "native", max_turns: calls.length + 2, tape };
  const cadre = await openAt(where, { ...options, agents: [{ ...definition, ...agent }, ...(options.agents ?? [])] });
  const task = await cadre.run({ agent: "victim", prompt: "go" });
  const events = await eventsOf(cadre, task);
  return { cadre, task, events, went: wentOf(calls, events) };
}

export async function eventsOf(cadre: Cadre, { id }: TaskView): Promise<TaskEvent[]> {
  const all: TaskEvent[] = [];
  for (let after = 0; ;) {
    const { events } = await cadre.call("task.events", { task: id, after });
    const last = events.at(-1);
    if (last === undefined) return all;
    all.push(...events.map(({ event }) => event as TaskEvent));
    after = last.position;
  }
}

function wentOf(calls: readonly Call[], events: readonly TaskEvent[]): Went[] {
  const began = events.filter((one) => one.type === "tool.called" || one.type === "tool.refused");
  return calls.map((call, index) => {
    const start = began[index];
    if (start === undefined) throw new Error(`the log has no call ${index}: ${JSON.stringify(call)}`);
    if (start.type === "tool.refused") return { call, how: "refused", text: start.decision.rule };
    const end = events.find((one) => one.type === "tool.returned" && one.call === start.call);
    if (end?.type !== "tool.returned") throw new Error(`the log has no end of call ${index}`);
    return { call, how: end.ok ? "done" : "failed", text: JSON.stringify(end.output) };
  });
}

/** Which of these came through, in words for a failing test. */
export const notRefused = (went: readonly Went[]): string[] =>
  went.flatMap(({ how, call }) => (how === "refused" ? [] : [`${how}: ${JSON.stringify(call.input)}`]));

/**
 * Whatever lies in a folder, as text. No link is followed. Not for a home that another process has open, too: closing a
 * database's file gives up the locks that this process has on it.
 */
export function filesIn(folder: string): [path: string, text: string][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [[path, readFileSync(path, "latin1")] as [string, string]] : [];
  });
}
