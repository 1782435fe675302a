import { describe, expect, it } from "vitest";
import { openServers, program, said } from "./kit.ts";

const rude = (manner: string) => ({ rude: program("rude-server", manner) });
const MISSING = 'MCP server "rude": its tools are missing: ';

describe("a server that", () => {
  it.each(["requests-first", "wrong-id", "polite"])(
    "is %s is used all the same, and forges nothing",
    async (manner) => {
      const { run, notes } = await openServers(rude(manner));
      expect(notes).toEqual([]);
      expect(said(await run("mcp__rude__ask"))).toBe("right");
      expect(said(await run("mcp__rude__ask"))).toBe("right");
    },
  );

  it("nests without end has that answer dropped, not our stack", async () => {
    const { run } = await openServers(rude("deep"));
    expect(said(await run("mcp__rude__ask"))).toBe("right");
  });

  it("ends when it is asked in the newer era is started again for the older one", async () => {
    const { run, started } = await openServers(rude("exits-on-unknown"));
    expect(started).toHaveLength(2);
    expect(said(await run("mcp__rude__ask"))).toBe("right");
  });

  it("never answers is given up", async () => {
    const { notes } = await openServers(rude("silent"), { startMs: 500 });
    expect(notes).toEqual([`${MISSING}there was no whole answer within 0.5 seconds`]);
  });

  it.each([
    ["long-line", "it wrote a line of more than 8388608 bytes"],
    ["flood", "it sent more than 100000 messages that nobody asked for"],
    ["nonsense", "what it writes is not the protocol"],
  ])("sends a %s is not listened to any longer", async (manner, why) => {
    const before = process.memoryUsage().rss;
    const { notes, names } = await openServers(rude(manner));
    expect(names).toEqual([]);
    expect(notes).toEqual([`${MISSING}${why}`]);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });
});

describe("tools that do not fit", () => {
  it("are left out, or cut, and said to be", async () => {
    const { tools, names, notes } = await openServers(rude("odd-tools"));
    expect(names).toEqual([
      "mcp__rude__a_b",
      expect.stringMatching(/^mcp__rude__x{44}_[0-9a-f]{8}$/),
      "mcp__rude__no-object",
    ]);
    expect(names.every((name) => name.length <= 64)).toBe(true);
    expect(tools[1]?.description.length).toBeLessThan(2200);
    expect(tools[2]?.inputSchema).toEqual({ type: "object", properties: {} });
    expect(notes).toEqual([
      'MCP server "rude": "a_b" is left out: another one is called mcp__rude__a_b',
      'MCP server "rude": "huge" is left out: what it takes is said in 100034 characters; at most 32768 are read',
    ]);
  });

  it("because they are too many are left out from the first that is", async () => {
    const { names, notes } = await openServers(rude("many-tools"));
    expect(names).toHaveLength(128);
    expect(notes).toEqual(['MCP server "rude": it has 5000 tools; the first 128 are offered']);
  });
});
