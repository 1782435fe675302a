// A project that a program was connected to Cadre in, and that program as a backend there.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCadre } from "../../../src/app/index.ts";
import { PRESETS } from "../../../src/backends/acp/presets.ts";
import { secondServer } from "../../../src/backends/acp/second-server.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { FREE, withPeer } from "./kit.ts";

const WITH_SERVERS = PRESETS.flatMap(({ name, servers }) => (servers === undefined ? [] : [{ name, servers }]));

async function connect(project: string, host: string): Promise<void> {
  const options = { cwd: project, userHome: temporaryFolder(), env: {}, isPerson: true };
  await using cadre = await openCadre({ ...options, home: join(project, ".cadre") });
  const { changes } = await cadre.call("host.connect", { host, scope: "project" });
  expect(changes.map(({ result }) => result)).toContain("written");
}

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

describe("what cadre connect --project has written", () => {
  it.each(WITH_SERVERS)("keeps $name from being started there", async ({ name, servers }) => {
    const project = temporaryFolder();
    const below = join(project, "packages", "one");
    expect(secondServer(name, servers, { root: below, base: project })).toBeNull();
    await connect(project, servers.host);
    expect(secondServer(name, servers, { root: below, base: project })).toContain(
      `cadre disconnect ${servers.host} --project`,
    );
    expect(secondServer(name, servers, { root: below, base: below })).toBeNull(); // what lies above is not its project's
  });

  it("ends an attempt on such a peer before it begins, and says what to do", async () => {
    const project = temporaryFolder();
    await connect(project, "qwen");
    const lookup = (name: string) =>
      name === "PATH" ? process.env["PATH"] : name === "OPENAI_API_KEY" ? "k" : undefined;
    const agent = { ...FREE, backend: "qwen" };
    await using world = await withPeer({ prompts: [[{ say: "done" }]] }, { agent, project, options: { lookup } });
    const { outcome } = await world.engine.run({ agent: "peer" });
    expect(outcome).toMatchObject({
      status: "failed",
      reason: "refused",
      message: expect.stringMatching(/qwen would start Cadre's own server.*cadre connect qwen --user/),
    });
  });

  it.each([
    ["is switched off", '{"mcp": {"cadre": {"type": "local", "command": ["cadre", "mcp"], "enabled": false}}}'],
    ["is broken", "{"],
    ["names others only", '{"mcp": {"mine": {"type": "local", "command": ["x"]}}}'],
  ])("does not, where it %s", (_how, text) => {
    const project = temporaryFolder();
    write(join(project, "opencode.json"), text);
    const opencode = WITH_SERVERS.find(({ name }) => name === "opencode");
    if (opencode === undefined) throw new Error("there is no such preset");
    expect(secondServer("opencode", opencode.servers, { root: project, base: project })).toBeNull();
  });
});
