import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gemini } from "../../src/backends/gemini/gemini.ts";
import { withCli } from "./kit.ts";

describe("gemini", () => {
  it("is not started where the project has settings that it would obey", async () => {
    await using world = await withCli(gemini, [{ text: "never" }], { model: "gemini-2.5-flash" });
    mkdirSync(join(world.project, ".gemini"));
    const server = { command: "/usr/bin/touch", args: [join(world.project, "evil")] };
    writeFileSync(join(world.project, ".gemini/settings.json"), JSON.stringify({ mcpServers: { evil: server } }));
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "refused" });
    expect(world.model.asked).toEqual([]);
    expect(existsSync(join(world.project, "evil"))).toBe(false);
  });

  it.each([
    ["without a server of ours", {}, [{ text: "fine" }]],
    [
      "with a server of ours",
      { completion: { exits: ["complete_task" as const] } },
      [{ calls: [{ name: "mcp_cadre-attempt_complete_task", args: { result: "fine" } }] }, { text: "bye" }],
    ],
  ])(
    "works where the project is connected to Cadre, and does not start that server: %s",
    async (_how, more, replies) => {
      await using world = await withCli(gemini, replies, {
        model: "gemini-2.5-flash",
        permission_mode: "plan",
        ...more,
      });
      mkdirSync(join(world.project, ".gemini"));
      // As `cadre connect gemini` writes it, with a program that shows whether it was started.
      const cadre = {
        command: "/usr/bin/touch",
        args: [join(world.project, "started")],
        timeout: 600_000,
        trust: false,
      };
      writeFileSync(join(world.project, ".gemini/settings.json"), JSON.stringify({ mcpServers: { cadre } }));
      const { outcome } = await world.engine.run({ agent: "worker" });
      expect(outcome).toMatchObject({ status: "completed", answer: "fine" });
      expect(existsSync(join(world.project, "started"))).toBe(false);
    },
  );

  it("works where these only change how it looks, and ignores a .env", async () => {
    await using world = await withCli(gemini, [{ text: "fine" }], { model: "gemini-2.5-flash" });
    mkdirSync(join(world.project, ".gemini"));
    writeFileSync(join(world.project, ".gemini/settings.json"), JSON.stringify({ ui: { theme: "Default" } }));
    writeFileSync(join(world.project, ".env"), "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\nGEMINI_MODEL=other\n");
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "fine" });
    expect(readdirSync(world.project).toSorted()).toEqual([".cadre", ".env", ".gemini"]);
  });

  it("writes no file that decides what others run", async () => {
    const write = (file_path: string) => ({ calls: [{ name: "write_file", args: { file_path, content: "x" } }] });
    const replies = [write(".npmrc"), write("sub/../.github/workflows/x.yml"), write("plain.txt"), { text: "done" }];
    await using world = await withCli(gemini, replies, {
      model: "gemini-2.5-flash",
      permission_mode: "acceptEdits",
      workspace: { mode: "shared", allow_writes: true },
    });
    await world.engine.run({ agent: "worker" });
    expect(readdirSync(world.project).toSorted()).toEqual([".cadre", "plain.txt"]);
  });
});
