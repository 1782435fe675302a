import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/platform/system-clock.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeMint } from "../../src/testing/index.ts";
import { agentFile, cadre, place } from "./command-line.ts";

interface Check {
  readonly name: string;
  readonly state: string;
  readonly says: string;
  readonly fix: string | null;
}

const AGENT = { ".cadre/agents/hello.md": agentFile("hello", "  - answer: hi") };

const checksOf = (stdout: string): Map<string, Check> => {
  const { data } = JSON.parse(stdout) as { data: Check[] };
  return new Map(data.map((check) => [check.name, check]));
};

describe("cadre doctor", () => {
  test("has one line for each thing, and exits with 0 while nothing essential is missing", async () => {
    const where = await place(AGENT);
    const { exit, stdout } = await cadre(where, "doctor");
    for (const name of ["node", "home", "trust", "agents", "settings", "custody", "bubblewrap", "terminal"])
      expect(stdout).toMatch(new RegExp(`^(ok|missing|unknown) +${name} +\\S`, "m"));
    expect(stdout).toMatch(/^ok +node +\d+\.\d+/m);
    expect(stdout).toMatch(/^ok +trust /m);
    expect(exit).toBe(0);
  });

  test("lists the coding CLIs that are there, with what they cannot do, and names those that are not", async () => {
    const where = await place(AGENT);
    const bin = join(where.project, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "codex"), "#!/bin/sh\necho codex-cli 0.166.0\n");
    chmodSync(join(bin, "codex"), 0o755);
    const env = { ...where.env, PATH: `${bin}:/usr/bin:/bin`, OPENAI_API_KEY: "sk-not-shown-anywhere" };
    const { stdout } = await cadre({ ...where, env }, "doctor", "--json");
    const checks = checksOf(stdout);
    expect(checks.get("codex")).toMatchObject({
      state: "ok",
      says: expect.stringMatching(/^0\.166\.0 .*OPENAI_API_KEY/),
    });
    expect(checks.get("codex")?.says).toContain("cannot wait for an approval");
    expect(checks.get("other CLIs")?.says).toContain("goose");
    expect(stdout).not.toContain("sk-not-shown-anywhere");
  });

  test("says which of them is left alone for a while, and why", async () => {
    const where = await place(AGENT);
    await cadre(where, "status"); // makes the store
    const bin = join(where.project, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "codex"), "#!/bin/sh\necho codex-cli 0.166.0\n");
    chmodSync(join(bin, "codex"), 0o755);
    const store = await sqliteStore(join(where.project, ".cadre", "cadre.db"), systemClock, fakeMint());
    await store.coolDown({ account: "OPENAI_API_KEY", backend: "codex", why: "the quota is used up" });
    await store.close();
    const env = { ...where.env, PATH: `${bin}:/usr/bin:/bin`, OPENAI_API_KEY: "sk-not-shown-anywhere" };
    const { stdout } = await cadre({ ...where, env }, "doctor", "--json");
    const says = checksOf(stdout).get("codex")?.says;
    expect(says).toMatch(/not chosen by itself until \d{4}-.*: the quota is used up/);
  });

  test("names the command that mends what is missing", async () => {
    const where = await place(AGENT, { trusted: false });
    const bin = join(where.project, "bin");
    mkdirSync(bin);
    const { exit, stdout } = await cadre({ ...where, env: { ...where.env, PATH: bin } }, "doctor", "--json");
    const checks = checksOf(stdout);
    expect(checks.get("trust")).toMatchObject({ state: "missing", fix: "cadre trust" });
    expect(checks.get("terminal")).toMatchObject({
      state: "missing",
      fix: expect.stringContaining("cadre config set"),
    });
    expect(checks.get("bubblewrap")?.state).toBe("missing");
    expect(checks.get("bubblewrap")?.fix ?? "none").toMatch(process.platform === "linux" ? /bubblewrap$/ : /^none$/);
    expect(exit).toBe(0);
  });

  describe("says why models cannot be used, and asks none of them:", () => {
    const anthropic = { ANTHROPIC_API_KEY: "k" };
    const local = (rest: string) => `models:\n  providers: { local: { base_url: "http://127.0.0.1:9" } }\n${rest}`;
    test.each([
      ["nothing", anthropic, "", "ok", "keys for anthropic; default: sonnet", "nothing to do"],
      [
        "an address that is none",
        { ...anthropic, ANTHROPIC_BASE_URL: "localhost:8080" },
        "",
        "missing",
        "keys for anthropic; default: sonnet\nANTHROPIC_BASE_URL is not the address of an endpoint",
        "Write it as https://host/path or http://localhost:8080.",
      ],
      [
        "one that is none, of a provider that is not the default",
        { ...anthropic, OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://user:word@host" },
        "",
        "missing",
        "OPENAI_BASE_URL holds more than a host and a path",
        "Leave out user",
      ],
      [
        "one that is none, of a provider without a key",
        { ...anthropic, OPENAI_BASE_URL: "nonsense" },
        "",
        "ok",
        "keys for anthropic; default: sonnet",
        "nothing to do",
      ],
      ["a default that is no model", {}, local("  default: nonsense\n"), "missing", '"nonsense"', "provider/model"],
      ["a default without a key", {}, local("  default: gpt\n"), "missing", "gpt-6-sol needs a key", "OPENAI_API_KEY"],
      [
        "settings that cannot be read",
        {},
        "models: { providers: { local: {} } }\n",
        "missing",
        "base_url",
        "Correct it",
      ],
    ])("%s", async (name, variables, settings, state, says, fix) => {
      const where = await place(AGENT);
      writeFileSync(join(where.userHome, ".cadre", "config.yml"), settings);
      const { exit, stdout } = await cadre({ ...where, env: { ...where.env, ...variables } }, "doctor", "--json");
      const check = checksOf(stdout).get("models");
      expect(check).toMatchObject({ state, says: expect.stringContaining(says) });
      expect(check?.fix ?? "nothing to do").toContain(fix);
      expect(checksOf(stdout).get("home")?.state).toBe("ok");
      expect(exit).toBe(name === "settings that cannot be read" ? 3 : 0); // no agent on a model runs with these
    });
  });

  test("finds bubblewrap on PATH", async () => {
    const where = await place({ "bin/bwrap": "#!/bin/sh\n" });
    const bwrap = join(where.project, "bin", "bwrap");
    chmodSync(bwrap, 0o755);
    const { stdout } = await cadre(
      { ...where, env: { ...where.env, PATH: join(where.project, "bin") } },
      "doctor",
      "--json",
    );
    const expected = process.platform === "linux" ? { state: "ok", says: bwrap } : { state: "missing" };
    expect(checksOf(stdout).get("bubblewrap")).toMatchObject(expected);
  });

  test("lists agents with problems and settings that are ignored", async () => {
    const where = await place({
      ".cadre/agents/broken.md": "---\nname: broken\ndescripton: typo\n---\n",
      ".cadre/config.yml": "subagents: { max_concurrent: 99 }\n",
    });
    const checks = checksOf((await cadre(where, "doctor", "--json")).stdout);
    expect(checks.get("agents")).toMatchObject({ state: "missing", says: expect.stringContaining("broken.md") });
    expect(checks.get("settings")).toMatchObject({
      state: "missing",
      says: expect.stringContaining("99 was asked for"),
    });
  });

  test("does not miss a terminal where the user's settings do without one", async () => {
    const where = await place();
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security: { person_without_terminal: true }\n");
    expect(checksOf((await cadre(where, "doctor", "--json")).stdout).get("terminal")?.state).toBe("ok");
  });

  test.each([
    [
      "a broken database",
      { ".cadre/cadre.db": "this is no database, and long enough to be seen as none".repeat(50) },
      "home",
    ],
    ["a broken config", { ".cadre/config.yml": "subagnets: {}\n" }, "settings"],
  ])("exits with 3 for %s, and says what and how", async (_name, files, name) => {
    const { exit, stdout } = await cadre(await place(files), "doctor", "--json");
    const check = checksOf(stdout).get(name);
    expect(check).toMatchObject({ state: "missing" });
    expect(check?.fix).not.toBeNull();
    expect(exit).toBe(3);
  });

  test("is no way around being inside an attempt", async () => {
    const where = await place();
    const inside = { ...where, env: { ...where.env, CADRE_ATTEMPT: "task_made-up", CADRE_TOKEN: "guess" } };
    expect((await cadre(inside, "doctor")).exit).toBe(4);
  });
});
