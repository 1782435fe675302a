import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ground } from "./ground.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/connect-many.ts", import.meta.url));
const SHARES = [
  ["claude", "zed"],
  ["codex", "cursor"],
  ["gemini", "goose"],
  ["opencode", "qwen", "copilot"],
];

it(
  "several processes that connect at once all count, and all of it can be taken back",
  { timeout: 60_000 },
  async () => {
    const here = ground();
    const run = (share: readonly string[]) =>
      promisify(execFile)(process.execPath, [PROGRAM, here.project, here.userHome, ...share]);
    await Promise.all(SHARES.map(run));
    const { connections } = JSON.parse(here.read("~/.cadre/connections.json")) as {
      connections: { host: string; kind: string }[];
    };
    const servers = connections.filter(({ kind }) => kind === "entry").map(({ host }) => host);
    expect(servers.toSorted()).toEqual(SHARES.flat().toSorted());
    expect(here.has("~/.cadre/connections.json.lock")).toBe(false);
    for (const host of SHARES.flat()) await here.disconnect({ host });
    expect(here.all()).toEqual(["home", "project"]);
  },
);
