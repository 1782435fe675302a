// Nothing of the user's environment reaches a CLI but its own key, and the key comes back in nothing that it says.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { codex } from "../../../src/backends/codex/codex.ts";
import { gemini } from "../../../src/backends/gemini/gemini.ts";
import { PATH, temporaryFolder } from "../../custody/kit.ts";
import { KEY_VALUE, optionsFor, type Play, stub, transcript, withStub } from "./kit.ts";

const CANARIES = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`CANARY_${index}_API_KEY`, `canary-value-${index}-of-the-user`]),
);

const KEPT = [
  "CADRE_ATTEMPT",
  "CADRE_HOME",
  "CADRE_TASK",
  "CADRE_TOKEN",
  "HOME",
  "LANG",
  "NO_COLOR",
  "PATH",
  "TERM",
  "TMPDIR",
];
const OWN = {
  claude: [
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_SHELL_PREFIX",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
  ],
  codex: ["CODEX_API_KEY", "CODEX_HOME"],
  gemini: ["GEMINI_API_KEY", "GEMINI_CLI_NO_RELAUNCH", "GEMINI_FORCE_FILE_STORAGE", "GOOGLE_GEMINI_BASE_URL"],
} as const;

/** What a shell and custody add. */
const OF_SHELL = ["PWD", "OLDPWD", "SHLVL", "_", "CADRE_KEEP"];

/** A transcript whose answer is the whole environment. */
const tellingAll = (cli: typeof claude): Play => ({
  says: transcript(cli, "text").map((line) => line.replaceAll("forty-two", "@ENV@")),
  isDialogue: cli === claude,
});

/** Whatever was left in a folder, as text. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

describe.each([claude, codex, gemini])("the environment of $name", (cli) => {
  it("holds its key and what it needs, and none of twenty canaries, anywhere", async () => {
    const project = temporaryFolder();
    const bin = stub(cli, [tellingAll(cli)], cli.tested);
    const { env } = optionsFor(cli, bin, project);
    await using world = await withStub(cli, [tellingAll(cli)], { options: { env: { ...env, ...CANARIES } } });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(outcome?.answer).toContain("CADRE_TASK");
    const [started] = readFileSync(join(bin, "started.jsonl"), "utf8").split("\n");
    const given = Object.keys((JSON.parse(started ?? "{}") as { env: object }).env);
    const ours = [...KEPT, ...(OWN[cli.name as keyof typeof OWN] as readonly string[])];
    expect(given.filter((name) => !ours.includes(name) && !OF_SHELL.includes(name))).toEqual([]);
    const everything = JSON.stringify([await world.engine.log(id), outcome, world.parts, ...filesIn(world.home)]);
    expect(everything).toContain('"way\\":\\"out\\"'); // the raw log is among the files
    for (const [name, value] of Object.entries(CANARIES)) {
      expect(everything).not.toContain(name);
      expect(everything).not.toContain(value);
    }
    expect(everything).not.toContain(KEY_VALUE);
    expect(everything).toContain("{{secret:");
  });

  it("breaks, and its last words name none of them", async () => {
    const play: Play = { says: [], isDialogue: cli === claude, tellsAll: true, breaks: true, code: 7 };
    const bin = stub(cli, [play], cli.tested);
    const { env } = optionsFor(cli, bin, temporaryFolder());
    await using world = await withStub(cli, [play], { options: { env: { ...env, ...CANARIES } } });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed" });
    const everything = JSON.stringify([await world.engine.log(id), outcome, world.parts, ...filesIn(world.home)]);
    expect(everything).toContain("CADRE_TASK");
    for (const [name, value] of Object.entries(CANARIES)) {
      expect(everything).not.toContain(name);
      expect(everything).not.toContain(value);
    }
    expect(everything).not.toContain(KEY_VALUE);
  });

  it("has a home of the session's own, closed to others, and no file in it holds the key", async () => {
    await using world = await withStub(cli, [{ says: transcript(cli, "text"), isDialogue: cli === claude }]);
    const { spec } = await world.engine.run({ agent: "worker" });
    const [started] = world.started();
    const home = join(world.home, "sessions", `${spec.session}.home`, cli.name);
    expect(started?.env["HOME"]).toBe(home);
    expect(started?.cwd).toBe(world.project);
    expect(statSync(home).mode & 0o077).toBe(0);
    for (const file of readdirSync(home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
      const path = join(file.parentPath, file.name);
      expect(statSync(path).mode & 0o077).toBe(0);
      expect(readFileSync(path, "utf8")).not.toContain(KEY_VALUE);
    }
    expect(started?.args.join(" ")).not.toContain(KEY_VALUE);
    expect(started?.args.join(" ")).not.toContain(started?.env["CADRE_TOKEN"]);
  });

  it("has the user's login where no key is set, and nothing else of the user's home", async () => {
    const userHome = temporaryFolder();
    const [login = ""] = cli.logins;
    mkdirSync(join(userHome, login, ".."), { recursive: true });
    writeFileSync(join(userHome, login), "the login");
    const bin = stub(cli, [{ says: transcript(cli, "text"), isDialogue: cli === claude }], cli.tested);
    await using world = await withStub(cli, [{}], { options: { userHome, env: { PATH: `${bin}:${PATH}` } } });
    const { outcome, spec } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "forty-two" });
    const home = join(world.home, "sessions", `${spec.session}.home`, cli.name);
    expect(readFileSync(join(home, login), "utf8")).toBe("the login");
  });
});
