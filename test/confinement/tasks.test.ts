// Tasks, as a user starts them: what their programs are held by is in the log.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cadre, openCadre } from "../../src/app/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { machines, temporaryFolder } from "./kit.ts";

interface Wish {
  readonly setting?: "off" | "best" | "required";
  readonly path?: string;
}

async function open(agent: object, { setting = "best", path = process.env["PATH"] ?? "" }: Wish = {}): Promise<Cadre> {
  const folder = temporaryFolder();
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  writeFileSync(join(folder, "secret"), "canary");
  const cadre = await openCadre({
    home: join(cwd, ".cadre"),
    cwd,
    userHome: folder,
    env: { PATH: path, CADRE_SECURITY_CONFINEMENT: setting },
    agents: [{ name: "worker", description: "runs a program", permission_mode: "auto", ...agent }],
  });
  onTestFinished(() => cadre[Symbol.asyncDispose]());
  return cadre;
}

const run = (cadre: Cadre): Promise<TaskView> => cadre.run({ agent: "worker", prompt: "go" });
const sh = (script: string) => ({ command: ["sh", "-c", script], workspace: { allow_writes: true } });

async function notesOf(cadre: Cadre, task: TaskView): Promise<string[]> {
  const { events } = await cadre.call("task.events", { task: task.id });
  return events.flatMap(({ event }) => (event.type === "note.taken" ? [event.text] : []));
}

describe.each(machines)("tasks, as $user", () => {
  it("a program sees its project and nothing beside it; the label says what holds it", async () => {
    const cadre = await open(sh(`ls ..; cat ../secret; echo made >here`));
    const task = await run(cadre);
    expect(task.outcome).toMatchObject({ status: "completed", answer: expect.stringMatching(/^project\s*$/) });
    expect(task.attempts[0]?.confinement).toMatchObject({ commands: "os", fileTools: "policy" });
    expect(readFileSync(join(cadre.project, "here"), "utf8")).toBe("made\n");
  });

  it("a protected file that it makes is gone, and the log says where", async () => {
    const cadre = await open(sh(`echo evil >.npmrc`));
    const task = await run(cadre);
    expect(task.status).toBe("completed");
    expect(existsSync(join(cadre.project, ".npmrc"))).toBe(false);
    const moved = join(cadre.home, "quarantine", task.id, ".npmrc");
    expect(readFileSync(moved, "utf8")).toBe("evil\n");
    expect((await notesOf(cadre, task)).join("\n")).toContain(moved);
  });

  it("plan mode is no obstacle to a program that is held to it", async () => {
    const cadre = await open({ ...sh("echo x >made; echo done"), permission_mode: "plan" });
    const task = await run(cadre);
    expect(task.outcome).toMatchObject({ status: "completed" });
    expect(existsSync(join(cadre.project, "made"))).toBe(false);
  });

  it("a gate is held like the agent's own programs", async () => {
    const gate = { name: "look", command: ["sh", "-c", "! cat ../secret"] };
    const cadre = await open({ ...sh("echo done"), completion: { gates: [gate] } });
    expect((await run(cadre)).status).toBe("completed");
  });

  it("switched off, it sees what its worker sees, and the label says so", async () => {
    const cadre = await open(sh(`cat ../secret`), { setting: "off" });
    const task = await run(cadre);
    expect(task.outcome).toMatchObject({ status: "completed", answer: "canary" });
    expect(task.attempts[0]?.confinement).toMatchObject({
      commands: "policy",
      note: expect.stringContaining("switched off"),
    });
  });

  it("the machine's own word on it is to be had without a task", async () => {
    const cadre = await open(sh("true"), { setting: "required" });
    expect(await cadre.confinement()).toMatchObject({ commands: "os" });
  });
});
