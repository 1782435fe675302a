// A whole task, through Cadre as people have it: settings, definition, program, log.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openCadre } from "../../../src/app/index.ts";
import { machines, serve } from "./kit.ts";

const GET = `const get = (url) => new Promise((done) => {
  require("node:http").get(url, (answer) => answer.resume().on("end", () => done(answer.statusCode))).on("error", (e) => done(e.code));
});`;

describe.each(machines)("a program of a task (as $user)", () => {
  it("reaches what its agent lists and the user's settings open, and the log has what it did not", async () => {
    const { port } = await serve((_, response) => response.end("reached"));
    const project = realpathSync(mkdtempSync(join(tmpdir(), "cadre-egress-")));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    const userHome = join(project, "user");
    mkdirSync(join(userHome, ".cadre"), { recursive: true });
    const settings = `security:\n  private_hosts: [localhost]\n  subagent_permissions:\n    network: true\n`;
    writeFileSync(join(userHome, ".cadre", "config.yml"), settings);
    const urls = [`http://localhost:${port}/`, "http://evil.example/"];
    const script = `${GET}(async () => console.log(${urls.map((url) => `await get("${url}")`).join(", ")}))()`;
    const agent = {
      name: "caller",
      description: "Calls.",
      permission_mode: "auto" as const,
      command: [process.execPath, "-e", script],
    };
    await using cadre = await openCadre({
      cwd: project,
      home: join(project, ".cadre"),
      userHome,
      env: { PATH: process.env["PATH"] ?? "" },
      agents: [
        { ...agent, policy: { network: [`localhost:${port}`] } },
        { ...agent, name: "loner", policy: { network: false } },
      ],
    });
    const caller = await cadre.run({ agent: "caller", prompt: "call" });
    expect(caller.attempts[0]?.confinement?.commands).toBe("os");
    expect(caller.outcome).toMatchObject({ status: "completed", answer: expect.stringContaining("200 403") });
    const events = await Array.fromAsync(cadre.tail(caller), ({ event }) => event);
    expect(events.filter(({ type }) => type === "host.refused")).toEqual([
      {
        type: "host.refused",
        host: "evil.example",
        port: 80,
        why: `it is not among the hosts of this agent (localhost:${port})`,
      },
    ]);
    const loner = await cadre.run({ agent: "loner", prompt: "call" });
    expect(loner.outcome).toMatchObject({ answer: expect.stringMatching(/ECONNREFUSED (ENOTFOUND|EAI_AGAIN)/) });
  });
});
