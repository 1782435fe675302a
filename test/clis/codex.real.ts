import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codex } from "../../src/backends/codex/codex.ts";
import { temporaryFolder } from "../custody/kit.ts";
import { factsOf } from "../engine/kit.ts";
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

  it("lets them read single files, such as a plan, where little else may be read", async () => {
    await using world = await withCli(
      codex,
      [run("cat plans/mine.md; cat plans/other.md; cat plans/none.md; cat docs/a.md"), { text: "done" }],
      { ...MODEL, policy: { fs: { read: ["docs", "plans/mine.md", "plans/none.md"] } } },
    );
    for (const folder of ["plans", "docs", ".cadre/tasks"]) mkdirSync(join(world.project, folder));
    for (const name of ["plans/mine", "plans/other", "docs/a"])
      writeFileSync(join(world.project, `${name}.md`), `THE-${name.toUpperCase()}`);
    await world.engine.run({ agent: "worker" });
    const seen = JSON.stringify(world.model.asked.at(-1)?.body.input);
    for (const name of ["PLANS/MINE", "DOCS/A"]) expect(seen).toContain(`THE-${name}`);
    expect(seen).not.toContain("THE-PLANS/OTHER");
  });

  it.each(["plan", "auto"] as const)("keeps them from what Cadre keeps, in mode %s", async (permission_mode) => {
    const names = ["tasks/t.json", "logs/l.txt", "cadre.db", "cadre.db-wal", "serve-token"];
    const kept = [...names.map((name) => `.cadre/${name}`), "packages/x/.cadre/cadre.db"];
    await using world = await withCli(codex, [run(`cat ${kept.join(" ")} open.txt; ls .cadre`), { text: "done" }], {
      ...OPEN,
      permission_mode,
    });
    for (const folder of ["tasks", "logs"]) mkdirSync(join(world.home, folder));
    mkdirSync(join(world.project, "packages/x/.cadre"), { recursive: true });
    for (const path of kept) writeFileSync(join(world.project, path), "THE-STATE");
    writeFileSync(join(world.project, "open.txt"), "THE-OPEN");
    await world.engine.run({ agent: "worker" });
    const seen = JSON.stringify(world.model.asked.at(-1)?.body.input);
    expect(seen).toContain("THE-OPEN");
    expect(seen).not.toContain("THE-STATE");
  });

  it("keeps them from the network, from protected files, and from its own settings", async () => {
    const cmd = [
      "exec 3<>/dev/tcp/127.0.0.1/80 && echo CONNECTED",
      "touch .github/workflows/x.yml",
      "echo x > .npmrc",
      "touch plain.txt .yarnrc",
      'touch "$CODEX_HOME/config.toml" && echo CHANGED',
    ].join("; ");
    await using world = await withCli(codex, [run(`bash -c '${cmd}'`), { text: "done" }], OPEN);
    mkdirSync(join(world.project, ".github/workflows"), { recursive: true });
    writeFileSync(join(world.project, ".npmrc"), "mine");
    const { id } = await world.engine.run({ agent: "worker" });
    const seen = JSON.stringify(world.model.asked.at(-1)?.body.input.at(-1));
    for (const word of ["CONNECTED", "CHANGED"]) expect(seen).not.toContain(`${word}\\n`);
    const left = readdirSync(world.project).toSorted();
    expect(left).toEqual([".cadre", ".github", ".npmrc", ".yarnrc", "plain.txt"]);
    expect(readdirSync(join(world.project, ".github/workflows"))).toEqual([]);
    expect(readFileSync(join(world.project, ".npmrc"), "utf8")).toBe("mine");
    // What was not there cannot be closed: it is said.
    expect(factsOf(await world.engine.log(id), "note.taken").at(-1)?.text).toContain(".yarnrc");
  });

  it("stands where a single file is open for writing, which it cannot keep", async () => {
    await using world = await withCli(
      codex,
      [run("touch notes/new.txt && echo x > plan.md; echo so"), { text: "done" }],
      {
        ...MODEL,
        permission_mode: "acceptEdits",
        policy: { fs: { write: ["notes", "plan.md"] } },
      },
    );
    mkdirSync(join(world.project, "notes"));
    writeFileSync(join(world.project, "plan.md"), "the plan");
    await world.engine.run({ agent: "worker" });
    expect(readdirSync(join(world.project, "notes"))).toEqual(["new.txt"]);
    expect(readFileSync(join(world.project, "plan.md"), "utf8")).toBe("the plan");
    expect(readdirSync(world.project).toSorted()).toEqual([".cadre", "notes", "plan.md"]);
  });

  // What its newest models have in place of tools: one that runs a script.
  it.each([
    ["plan", []],
    ["auto", [".npmrc", "attacked.txt"]],
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
    expect(
      readdirSync(world.project)
        .filter((name) => name !== ".cadre")
        .toSorted(),
    ).toEqual(left);
  });
});
