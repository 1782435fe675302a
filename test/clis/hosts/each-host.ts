// What every host is held to: it finds Cadre's tools, gets answers of any length, and loses no work, whatever becomes
// of its call, of itself and of our server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../custody/kit.ts";
import type { HostName, HostProgram } from "./hosts.ts";
import { kill, killGroup } from "./processes.ts";
import { inTurn, pageByPage, untilItEnds } from "./scripts.ts";
import { fieldIn, outputIn } from "./shown.ts";
import { hostWorld, type HostWorld } from "./world.ts";

const TOOLS = ["task", "task_output", "task_stop", "task_send", "agents", "memory_add", "memory_search", "inbox"];
const LIMIT_MS = 20_000;
/** Longer than the host waits, and than we do where it waits on for as long as it hears of us. */
const secondsFor = ({ waitsOnProgress }: HostProgram): number => (waitsOnProgress ? 120 : 60);
/** A host's start takes half a minute on a machine with much to do. */
const END_MS = 240_000;
const LINES = 7_000;

export function eachHost(name: HostName): void {
  describe(`${name} as a host`, () => {
    let world: HostWorld;
    beforeAll(async () => {
      world = await hostWorld(name);
    }, END_MS);
    afterAll(() => world.close());
    const isServed = () => world.processes("mcp").length > 0;

    it("finds the tools of the server that cadre connect has told it of", async () => {
      // A host may ask its model before a server that was just started has named its tools: so twice.
      const { tools, said } = await world.run(inTurn(["agents", {}]), { endMs: END_MS });
      expect(tools, said).toEqual(expect.arrayContaining(world.program.shows(TOOLS)));
    });

    it("gets the answer of an agent", async () => {
      const script = inTurn(["task", { agent_name: "hello", prompt: "good morning" }]);
      const { results, said } = await world.run(script, { endMs: END_MS });
      expect(results.map(outputIn), said).toEqual(["You said: good morning"]);
    });

    it("gets an answer of 200 KB whole, a page at a time", async () => {
      const script = pageByPage(["task", { agent_name: "writer", prompt: String(LINES) }]);
      const { results, said } = await world.run(script, { endMs: END_MS });
      expect(Number(fieldIn(results[0] ?? "", "output_chars")), said).toBeGreaterThan(200_000);
      expect(results.length).toBeGreaterThan(3);
      const lines = Array.from(
        { length: LINES },
        (_, at) => `line ${String(at + 1).padStart(6, "0")} of a long answer`,
      );
      expect(results.map(outputIn).join("").trimEnd()).toBe(lines.join("\n"));
    });

    it("gives up on a call, and has its answer in a later run, from another server", async () => {
      const seconds = secondsFor(world.program);
      const start = inTurn(["task", { agent_name: "sleeper", prompt: String(seconds) }]);
      const first = await world.run(start, { limitMs: LIMIT_MS, endMs: END_MS });
      expect(first.results, first.said).toEqual([
        // One that waits on was told that the task goes on, when our own bound was reached.
        expect.stringMatching(world.program.waitsOnProgress ? /status: running/ : /timed out/),
      ]);
      await eventually("its server has ended", () => !isServed(), END_MS);
      expect(await world.latest("sleeper")).toMatchObject({ status: "running" });

      const later = await world.run(untilItEnds("sleeper", LIMIT_MS / 2), { limitMs: LIMIT_MS, endMs: END_MS });
      expect(outputIn(later.results.at(-1) ?? ""), later.said).toBe(`slept for ${seconds}\n`);
      const { attempts } = await world.latest("sleeper");
      expect(attempts).toHaveLength(1);
    });

    it("is killed with its server: the task goes on, and task_stop of the next run ends it", async () => {
      const seconds = "600.25";
      const isAtWork = () => world.processes("sleep", seconds).length > 0;
      const script = inTurn(["task", { agent_name: "sleeper", prompt: seconds }]);
      const host = await world.start(script, { endMs: END_MS });
      await eventually("the program runs", isAtWork, END_MS);
      killGroup(host.pid);
      for (const server of world.processes("mcp")) kill(server);
      await host.done;
      await eventually("its server has ended", () => !isServed(), END_MS);
      const { id, status } = await world.latest("sleeper");
      expect({ status, isAtWork: isAtWork() }).toEqual({ status: "running", isAtWork: true });

      const { results, said } = await world.run(inTurn(["task_stop", { task_id: id }]), { endMs: END_MS });
      expect(
        results.map((result) => fieldIn(result, "status")),
        said,
      ).toEqual(["cancelled"]);
      expect(isAtWork()).toBe(false);
    });
  });
}
