// Thirty CLIs at once, then the death of their worker: nothing is left of them after the next start, and every task is
// in a state that is true.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openCadre } from "../../../src/app/index.ts";
import { eventually, temporaryFolder, waitingAt } from "../../custody/kit.ts";

const WORKER = fileURLToPath(new URL("fixtures/worker.ts", import.meta.url));
const CHILDREN = 30;

/** Each CLI is one, and has started one that hides from it. */
const catsAt = (pipe: string): number => waitingAt(pipe).filter((pid) => nameOf(pid) === "cat").length;

const nameOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return ""; // gone meanwhile
  }
};

it(`nothing is left of ${CHILDREN} CLIs when their worker is killed, and their tasks say so`, async () => {
  const project = temporaryFolder();
  const pipe = join(project, "pipe"); // in the project: elsewhere, what is confined would not see it
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", pipe]);
  const args = [WORKER, project, pipe, String(CHILDREN)];
  const worker = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void worker.kill("SIGKILL"));
  let said = "";
  worker.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await eventually("all of them are up", () => catsAt(pipe) >= 2 * CHILDREN, 80_000);
  worker.kill("SIGKILL");
  await once(worker, "exit");
  // The next start: what nobody holds any more is swept, and said.
  await using cadre = await openCadre({ cwd: project, home: join(project, ".cadre"), userHome: join(project, "user") });
  await eventually("nothing is left", () => waitingAt(pipe).length === 0, 20_000);
  const { tasks } = await cadre.call("task.list", { limit: 100 });
  expect(tasks).toHaveLength(CHILDREN);
  expect(new Set(tasks.map(({ status }) => status))).toEqual(new Set(["interrupted"]));
  expect(said).toContain("started");
}, 150_000);
