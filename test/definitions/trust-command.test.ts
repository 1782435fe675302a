// `cadre trust` as its users have it, and the question that the first run asks.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { askingForTrust } from "../../src/cli/ask-for-trust.ts";
import type { CommandContext } from "../../src/cli/command.ts";
import { CadreError } from "../../src/errors/index.ts";
import { cadre, place, type Place } from "../cli/command-line.ts";

const counter = (...argv: string[]) => `description: counts\npermission_mode: auto\ncommand: ${JSON.stringify(argv)}\n`;

/** A person's decisions need a terminal, unless the user has said otherwise. */
async function placeOf(agent: string): Promise<Place> {
  const where = await place({ ".cadre/agents/count.yml": agent });
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security: {person_without_terminal: true}\n");
  return where;
}

describe("cadre trust", () => {
  it(
    "shows the programs that agents would run, lets them run, and is asked for again when they change",
    { timeout: 60_000 },
    async () => {
      const where = await placeOf(counter("wc", "-c"));
      expect(await cadre(where, "run", "count", "hello")).toMatchObject({ exit: 0 });
      writeFileSync(join(where.project, ".cadre/agents/count.yml"), counter("wc", "-w"));

      const refused = await cadre(where, "run", "count", "hello");
      expect(refused.exit).toBe(4);
      expect(refused.stderr).toMatch(
        /^error: the agent "count" is new or has changed, .*: runs: wc -w \(.*count\.yml\)\nhint: .*cadre trust\n$/,
      );

      const trusted = await cadre(where, "trust");
      expect(trusted).toMatchObject({ exit: 0, stdout: `${where.project}\n` });
      expect(trusted.stderr).toContain("    runs: wc -w\n");
      expect(await cadre(where, "run", "count", "hello")).toMatchObject({ exit: 0 });

      const again = await cadre(where, "trust", ".", "--json");
      expect(JSON.parse(again.stdout)).toMatchObject({ data: { folders: [where.project], seen: [] } });
    },
  );

  it("shows an agent that waits, so that it can be read first", { timeout: 60_000 }, async () => {
    const where = await placeOf(counter("wc", "-c"));
    writeFileSync(join(where.project, ".cadre/agents/count.yml"), counter("sh", "-c", "rm x"));
    const shown = await cadre(where, "agents", "show", "count", "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({ data: { trusted: false, unseen: ['runs: sh -c "rm x"'] } });
  });

  it("of another folder pins nothing here", { timeout: 60_000 }, async () => {
    const where = await placeOf(counter("wc", "-c"));
    const file = join(where.userHome, ".cadre", "trust.json");
    writeFileSync(join(where.project, ".cadre/agents/count.yml"), counter("wc", "-w"));
    const pinned = () => (JSON.parse(readFileSync(file, "utf8")) as { pinned: unknown }).pinned;
    const before = pinned();
    expect(await cadre(where, "trust", join(where.project, ".cadre"))).toMatchObject({ exit: 0 });
    expect(pinned()).toEqual(before);
  });
});

describe("a run for which trust is wanting", () => {
  const untrusted = new CadreError("agent.untrusted", "nobody has seen it");

  async function run(isTTY: boolean, isYes: boolean, error: unknown = untrusted) {
    const calls: string[] = [];
    const talk: string[] = [];
    const context = {
      out: { talk: (line: string) => talk.push(line) },
      streams: { stdin: { isTTY } },
      signal: new AbortController().signal,
    } as unknown as CommandContext;
    let works = 0;
    const work = async () => {
      works += 1;
      if (works === 1) throw error;
      return "done";
    };
    const open = { project: "here", call: async (name: string) => void calls.push(name) } as never;
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return isYes;
    };
    const result = await askingForTrust(context, open, work, ask).catch((thrown: unknown) => thrown);
    return { result, calls, asked, talk };
  }

  it("asks on a terminal, once, and goes on with a yes", async () => {
    expect(await run(true, true)).toEqual({
      result: "done",
      calls: ["trust.grant"],
      asked: ["Trust here as it is now?"],
      talk: ["nobody has seen it"],
    });
  });

  it("ends without a yes, without a terminal and for any other reason", async () => {
    expect(await run(true, false)).toMatchObject({ result: untrusted, calls: [] });
    expect(await run(false, true)).toMatchObject({ result: untrusted, calls: [], asked: [] });
    const other = new CadreError("input.invalid", "something else");
    expect(await run(true, true, other)).toMatchObject({ result: other, calls: [], asked: [] });
  });
});
