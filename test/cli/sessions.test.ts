import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { agentFile, cadre, place, type Place } from "./command-line.ts";

const FILES = {
  ".cadre/agents/talker.md": agentFile("talker", "  - say: I think.\n  - answer: It is done."),
  ".cadre/agents/hanger.md": agentFile("hanger", "  - hang: true"),
};

async function person(): Promise<Place> {
  const where = await place(FILES);
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security: { person_without_terminal: true }\n");
  return where;
}

const dataOf = (stdout: string) => (JSON.parse(stdout) as { data: Record<string, unknown> }).data;

/** A session with one task in it. */
async function session(where: Place, prompt = "one"): Promise<string> {
  const { stdout } = await cadre(where, "run", "talker", prompt, "--json");
  return (dataOf(stdout) as { spec: { session: string } }).spec.session;
}

describe("cadre sessions", () => {
  test("lists, shows, goes on with one where it ran, and shows all of it", { timeout: 60_000 }, async () => {
    const where = await place(FILES);
    const id = await session(where);
    const resumed = await cadre(where, "sessions", "resume", id, "two");
    expect(resumed).toMatchObject({ exit: 0, stdout: "It is done.\n" });
    const listed = await cadre(where, "sessions");
    expect(listed.stdout).toMatch(new RegExp(`${id}  talker +✓ completed  tape +2 .* one\n`));
    expect((await cadre(where, "sessions", "show", id)).stdout).toBe(
      "User: one\nAssistant: It is done.\nUser: two\nAssistant: It is done.\n",
    );
    const file = JSON.parse(readFileSync(join(where.project, ".cadre", "sessions", `${id}.json`), "utf8")) as object;
    expect(file).toMatchObject({ session_id: id, status: "completed", messages: [{}, {}, {}, {}], trigger: "cli" });
  });

  test("one is named by the end of its id as well, if that fits it alone", { timeout: 60_000 }, async () => {
    const where = await place(FILES);
    const id = await session(where);
    await session(where, "other");
    expect((await cadre(where, "sessions", "show", id.slice(-12))).stdout).toContain("User: one\n");
    const more = await cadre(where, "run", "talker", "more", "--session", id.slice(-12), "--json");
    expect(dataOf(more.stdout)).toMatchObject({ spec: { session: id } });
    const both = await cadre(where, "sessions", "show", "sess_");
    expect(both).toMatchObject({ exit: 2, stderr: expect.stringContaining('"sess_" fits 2 sessions') });
    const none = await cadre(where, "sessions", "show", "nope");
    expect(none).toMatchObject({ exit: 2, stderr: expect.stringContaining('there is no session "nope"') });
  });

  test("a second task at once is refused, and a fork is not", { timeout: 60_000 }, async () => {
    const where = await place(FILES);
    const id = await session(where);
    const { project: cwd, userHome, env } = where;
    await using library = await openCadre({ cwd, userHome, env });
    const busy = await library.start({ agent: "hanger", prompt: "wait", session: id, dispatch: "manual" });
    const second = await cadre(where, "sessions", "resume", id, "two");
    expect(second.stderr).toContain(`the session ${id} is busy with ${busy.id}`);
    expect(second.stderr).toContain("--fork");
    expect(second.exit).toBe(4);
    const fork = await cadre(where, "sessions", "resume", id, "two", "--fork", "--backend", "tape", "--json");
    const forked = (dataOf(fork.stdout) as { spec: { session: string } }).spec.session;
    expect(forked).not.toBe(id);
    expect((await cadre(where, "sessions", "show", forked)).stdout).toContain(
      "User: one\nAssistant: It is done.\nUser: two",
    );
  });

  test("exports to the terminal, or as a person to a new file of their own", { timeout: 60_000 }, async () => {
    const where = await person();
    const id = await session(where);
    const shown = await cadre(where, "sessions", "export", id);
    expect(shown.stdout).toContain(`# Session \`${id}\``);
    const file = join(where.project, "out.json");
    expect(await cadre(where, "sessions", "export", id, "--format", "json", "--to", file)).toMatchObject({ exit: 0 });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ session: { id } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await cadre(where, "sessions", "export", id, "--to", file);
    expect([again.exit, again.stderr]).toEqual([2, expect.stringContaining("cannot be written")]);
  });

  test("without a terminal nothing is pruned, and nothing is written to a file", { timeout: 60_000 }, async () => {
    const where = await place(FILES);
    const id = await session(where);
    const file = join(where.project, "out.md");
    expect(await cadre(where, "sessions", "prune", id)).toMatchObject({ exit: 4 });
    expect(await cadre(where, "sessions", "export", id, "--to", file)).toMatchObject({ exit: 4 });
    expect(existsSync(file)).toBe(false);
    expect((await cadre(where, "sessions", "list", "--json")).stdout).toContain(id);
  });

  test("prunes one with its file and what backends kept of it", { timeout: 60_000 }, async () => {
    const where = await person();
    const [gone, stays] = [await session(where), await session(where)];
    const folder = join(where.project, ".cadre", "sessions");
    mkdirSync(join(folder, `${gone}.home`, "codex"), { recursive: true });
    writeFileSync(join(folder, `${gone}.home`, "codex", "x"), "x");
    expect(await cadre(where, "sessions", "prune", gone)).toMatchObject({ exit: 0, stdout: "1 removed\n" });
    expect(existsSync(join(folder, `${gone}.json`)) || existsSync(join(folder, `${gone}.home`))).toBe(false);
    expect((await cadre(where, "sessions")).stdout).toContain(stays);
    expect(await cadre(where, "sessions", "show", gone)).toMatchObject({ exit: 2 });
    expect((await cadre(where, "sessions", "prune", "--unused-days", "1")).stdout).toBe("0 removed\n");
  });

  test.each([
    [["show"], "this needs a session"],
    [["show", "sess_none"], "there is no session"],
    [["resume", "sess_none", "x"], "there is no session"],
    [["resume", "sess_x"], "this needs a prompt"],
    [["erase"], "hint: See: cadre sessions --help"],
    [["list", "--limit", "0"], "hint: See: cadre sessions --help"],
  ])("cadre sessions %j is refused in two lines", async (args, says) => {
    const { stderr, exit, stdout } = await cadre(await place(FILES), "sessions", ...args);
    expect(stderr).toContain(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
    expect(exit).toBe(2);
    expect(stdout).toBe("");
  });
});
