import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { brandId } from "../../../src/schema/index.ts";
import { eventually, namedPipe, temporaryFolder, waitingAt } from "../../custody/kit.ts";
import { custody } from "./kit.ts";

const WORKER = fileURLToPath(new URL("fixtures/worker.ts", import.meta.url));
const PEERS = 30;

it(`nothing is left of ${PEERS} peers and their terminals when their worker is killed (custody: ${custody.tier})`, async () => {
  const pipe = namedPipe();
  const args = [WORKER, temporaryFolder(), pipe, String(PEERS)];
  const worker = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void worker.kill("SIGKILL"));
  let said = "";
  worker.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await eventually("all peers are up", () => said.includes("up "), 80_000);
  await eventually("all of them wait", () => waitingAt(pipe).length >= 2 * PEERS);
  worker.kill("SIGKILL");
  await once(worker, "exit");
  const id = /up work_(\S+)/.exec(said)?.[1] ?? "";
  if (custody.tier === "tracked") await custody.sweep(brandId("work", id));
  await eventually("nothing is left", () => waitingAt(pipe).length === 0);
  expect(waitingAt(pipe)).toEqual([]);
}, 150_000);
