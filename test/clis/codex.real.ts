import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codex } from "../../src/backends/codex/codex.ts";
import { temporaryFolder } from "../custody/kit.ts";
import { withCli } from "./kit.ts";

const run = (cmd: string) => ({ calls: [{ name: "exec_command", args: { cmd } }] });
const MODEL = { model: "openai/gpt-5.5" };
const OPEN = { ...MODEL, permission_mode: "auto", workspace: { mode: "shared", allow_writes: true } } as const;

describe("codex's sandbox", () => {
  it("keeps commands to what may be read", async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, "secret.txt"), "THE-SECRET");
    await using world = await withCli(
      codex,
      [run(`cat ${outside}/secret.txt; cat inside.txt`), { text: "done" }],
      MODEL,
    );
    writeFileSync(join(world.project, "inside.txt"), "THE-INSIDE");
    await world.engine.run({ agent: "worker" });
    const seen = JSON.stringify(world.model.asked.at(-1)?.body.input);
    expect(seen).toContain("THE-INSIDE");
    expect(seen).not.toContain("THE-SECRET");
  });

  it("keeps them from the network, from protected files, and from its own settings", async () => {
    const cmd = [
      "exec 3<>/dev/tcp/127.0.0.1/80 && echo CONNECTED",
      "mkdir -p .github/workflows && touch .github/workflows/x.yml",
      "touch .npmrc plain.txt",
      'touch "$CODEX_HOME/config.toml" && echo CHANGED',
    ].join("; ");
    await using world = await withCli(codex, [run(`bash -c '${cmd}'`), { text: "done" }], OPEN);
    await world.engine.run({ agent: "worker" });
    const seen = JSON.stringify(world.model.asked.at(-1)?.body.input.at(-1));
    for (const word of ["CONNECTED", "CHANGED"]) expect(seen).not.toContain(`${word}\\n`);
    expect(readdirSync(world.project).toSorted()).toEqual([".cadre", "plain.txt"]);
  });

  // What its newest models have in place of tools: one that runs a script.
  it.each([
    ["plan", []],
    ["auto", ["attacked.txt"]],
  ] as const)("holds scripts, too: in mode %s they leave %j", async (permission_mode, left) => {
    const scripts = [
      'text(JSON.stringify(await tools.exec_command({ cmd: "touch attacked.txt" })))',
      'const fs = await import("node:fs"); fs.writeFileSync("by-script.txt", "x")',
      'await tools.apply_patch("*** Begin Patch\\n*** Add File: .npmrc\\n+x\\n*** End Patch\\n")',
    ];
    const replies = scripts.map((input) => ({ calls: [{ name: "exec", args: { input } }] }));
    await using world = await withCli(codex, [...replies, { text: "done" }], {
      permission_mode,
      workspace: { mode: "shared", allow_writes: true },
    });
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
    expect(readdirSync(world.project).filter((name) => name !== ".cadre")).toEqual(left);
    console.log(
      JSON.stringify(world.model.asked.at(-1)?.body.input.filter((i: any) => /output/.test(i.type))).slice(0, 3000),
    );
  });
});
