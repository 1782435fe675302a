import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCustody } from "../../src/custody/index.ts";
import { outputSchemaGates } from "../../src/gates/output-schema/output-schema-gate.ts";
import { factsOf } from "../engine/kit.ts";
import { shown, withCommand } from "./kit.ts";

const custody = await openCustody();
const sh = (script: string) => ["sh", "-c", script];

describe(`a program as an agent (custody: ${custody.tier})`, () => {
  it("gets the prompt as its input, and its output is the answer", async () => {
    await using world = await withCommand(custody, ["cat"]);
    const { outcome } = await world.engine.run({ agent: "prog", prompt: "hello\n  wörld  " });
    expect(outcome).toMatchObject({ status: "completed", answer: "hello\n  wörld  ", output: null, truncated: false });
  });

  it("gets the agent's instructions before the prompt, where there are any", async () => {
    await using world = await withCommand(custody, ["cat"], { prompt: "Be brief." });
    const { outcome } = await world.engine.run({ agent: "prog", prompt: "Do it." });
    expect(outcome).toMatchObject({ answer: "Be brief.\n\nDo it." });
  });

  it("may be silent: that it ended well is its answer", async () => {
    await using world = await withCommand(custody, ["true"]);
    expect((await world.engine.run({ agent: "prog" })).outcome).toMatchObject({ status: "completed", answer: "" });
  });

  it("need not read its input, however long that is", async () => {
    await using world = await withCommand(custody, sh("echo done"));
    const { outcome } = await world.engine.run({ agent: "prog", prompt: "x".repeat(5 * 1024 * 1024) });
    expect(outcome).toMatchObject({ status: "completed", answer: "done\n" });
  });

  it("runs in the workspace, and is looked for there when its name has a slash", async () => {
    await using world = await withCommand(custody, ["tools/where", "a b", "$x"]);
    mkdirSync(join(world.project, "tools"));
    writeFileSync(join(world.project, "tools/where"), '#!/bin/sh\npwd; printf "%s|" "$@"\n', { mode: 0o755 });
    const { outcome } = await world.engine.run({ agent: "prog" });
    expect(outcome).toMatchObject({ answer: `${world.project}\na b|$x|` });
  });

  it("says in the log how surely nothing of it is left, and that nothing confines it, once", async () => {
    await using world = await withCommand(custody, ["true"]);
    const task = await world.engine.run({ agent: "prog" });
    const log = await world.engine.log(task.id);
    expect(factsOf(log, "attempt.prepared")).toMatchObject([{ custody: custody.tier }]);
    const warning = expect.stringMatching(/files and network are not enforced/) as string;
    expect(factsOf(log, "note.taken")).toEqual([{ type: "note.taken", level: "warning", text: warning }]);
  });
});

describe("the environment of a program", () => {
  const variables = async (agent: Parameters<typeof withCommand>[2]) => {
    process.env["CADRE_CANARY"] = "canary-5d2";
    process.env["HOME"] ??= "/nowhere";
    const world = await withCommand(custody, ["cat", "/proc/self/environ"], agent);
    await using _world = world;
    const task = await world.engine.run({ agent: "prog" });
    if (task.outcome?.status !== "completed") throw new Error(JSON.stringify(task.outcome));
    const entries = task.outcome.answer.split("\0").filter((entry) => entry !== "");
    const env = Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
    delete env["CADRE_KEEP"]; // custody's own, at the tier that needs it
    return { env, task, world };
  };

  it("is what the policy allows of the worker's, and what Cadre says of the task", async () => {
    const { env, task, world } = await variables({ policy: { env: { allow: ["PATH", "CADRE_CANARY"] } } });
    expect(env).toEqual({
      PATH: process.env["PATH"], // the baseline allows no other of the two
      CADRE_TASK: task.id,
      CADRE_ATTEMPT: task.id,
      CADRE_TOKEN: "{{secret:CADRE_TOKEN}}", // it has it, and nobody reads it in its answer
      CADRE_HOME: world.home,
      CADRE_PLAN_FILE: join(world.home, "plans", `${task.id}_plan.md`),
      CADRE_WORKSPACE: join(world.home, "workspace"),
    });
  });

  it("holds the token whose hash the task knows", async () => {
    await using world = await withCommand(custody, sh('printf %s "$CADRE_TOKEN" | sha256sum'));
    const task = await world.engine.run({ agent: "prog" });
    expect(task.outcome?.answer?.split(" ")[0]).toBe(task.attempts[0]?.tokenSha256);
  });

  it("has the worker's HOME only where it is allowed, and nothing that is no variable", async () => {
    expect((await variables({ policy: { env: { allow: ["HOME"] } } })).env["HOME"]).toBe(process.env["HOME"]);
    const { env } = await variables({ policy: { env: { allow: [] } } });
    expect(Object.keys(env).filter((name) => !name.startsWith("CADRE_"))).toEqual([]);
  });
});

describe("a program that does not end well", () => {
  const failing = async (command: readonly string[], agent: Parameters<typeof withCommand>[2] = {}) => {
    await using world = await withCommand(custody, command, agent, { gates: outputSchemaGates });
    return (await world.engine.run({ agent: "prog" })).outcome;
  };

  it("fails with its exit code and the last line of its errors, and keeps what it said", async () => {
    const outcome = await failing(sh("echo so far; echo first >&2; echo 'no such thing' >&2; echo >&2; exit 3"));
    expect(outcome).toEqual({
      status: "failed",
      reason: "backend_error",
      message: "exited with 3: no such thing",
      answer: "so far\n",
    });
  });

  it("fails with a short message also where its errors are one endless line", async () => {
    const outcome = await failing(sh("head -c 200000 /dev/zero | tr '\\0' e >&2; exit 1"));
    expect(outcome).toMatchObject({ message: expect.stringMatching(/^exited with 1: e{100,500}/) as string });
    expect(outcome?.status === "failed" && outcome.message.length).toBeLessThan(600);
  });

  it("crashed when a signal killed it", async () => {
    expect(await failing(sh("echo oh >&2; kill -9 $$"))).toMatchObject({
      reason: "crashed",
      message: "killed by SIGKILL: oh",
    });
  });

  it.each([["no-such-program-anywhere"], ["./no-such-file"]])(
    "is unavailable when it is not there: %s",
    async (name) => {
      const message = expect.stringContaining(`there is no program ${name}`) as string;
      expect(await failing([name])).toMatchObject({ reason: "backend_unavailable", message });
    },
  );

  it("is refused in the mode plan where nothing can hold it to reading", async () => {
    const message = expect.stringContaining("hold the program to reading") as string;
    expect(await failing(["true"], { permission_mode: "plan" })).toMatchObject({ reason: "refused", message });
  });

  it("needs a command in the agent's definition", async () => {
    const message = '"prog" names no command to run';
    expect(await failing([], { command: undefined })).toMatchObject({ reason: "backend_error", message });
  });
});

describe("a program with an output schema", () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const typed = async (script: string, more: Parameters<typeof withCommand>[2] = {}) => {
    const agent = { output: { schema }, ...more };
    await using world = await withCommand(custody, sh(script), agent, { gates: outputSchemaGates });
    return (await world.engine.run({ agent: "prog" })).outcome;
  };

  it("has one JSON value as its output", async () => {
    expect(await typed(`echo '{"n": 4}'`)).toMatchObject({
      status: "completed",
      output: { n: 4 },
      evidence: "checked",
    });
  });

  it.each([
    ["talks besides", `echo 'Here it is: {"n": 4}'`, /must be one JSON value.*talk belongs on standard error/],
    ["says nothing", "true", /it is empty/],
    ["says two values", `echo '{"n": 4} {"n": 5}'`, /must be one JSON value/],
    ["nests without end", "head -c 90000 /dev/zero | tr '\\0' '['", /must be one JSON value/],
    ["says too much", "head -c 300000 /dev/zero | tr '\\0' 1", /it has 300000 bytes, which is more than max_output_kb/],
    ["has a value that does not fit", `echo '{"n": "four"}'`, /output\.n must be integer/],
  ])("fails when it %s", async (_what, script, message) => {
    const outcome = await typed(script);
    expect(outcome).toMatchObject({
      reason: "invalid_output",
      message: expect.stringMatching(message) as string,
    });
  });
});

describe("the output of a program", () => {
  it("is cut at the agent's limit, between two characters, and the outcome says so", async () => {
    await using world = await withCommand(custody, sh("yes äöü | head -c 5000"), { max_output_kb: 1 });
    const { outcome } = await world.engine.run({ agent: "prog" });
    expect(outcome).toMatchObject({ status: "completed", truncated: true });
    const answer = outcome?.status === "completed" ? outcome.answer : "";
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(answer)).toBeGreaterThan(1020);
    expect(answer.replace(/[äöü\n]/g, "")).toBe("");
  });

  it("is whole when it just fits", async () => {
    await using world = await withCommand(custody, sh("head -c 1024 /dev/zero | tr '\\0' x"), { max_output_kb: 1 });
    expect((await world.engine.run({ agent: "prog" })).outcome).toMatchObject({
      answer: "x".repeat(1024),
      truncated: false,
    });
  });

  it("is shown while it comes, whole, in bounded parts, and no character is cut in two", async () => {
    const text = "€😀ä".repeat(40_000); // 9 bytes each: nothing is aligned
    await using world = await withCommand(custody, sh("cat; echo done >&2"), { max_output_kb: 1 });
    await world.engine.run({ agent: "prog", prompt: text });
    expect(shown(world.parts, "stdout") === text).toBe(true);
    expect(shown(world.parts, "stderr")).toBe("done\n");
    const lengths = world.parts.map((part) => part.text.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(8 * 1024);
  });

  it("is repaired where it is no UTF-8", async () => {
    await using world = await withCommand(custody, sh("printf 'a\\377b\\303'"));
    expect((await world.engine.run({ agent: "prog" })).outcome).toMatchObject({ answer: "a\ufffdb\ufffd" });
    expect(shown(world.parts, "stdout")).toBe("a\ufffdb\ufffd");
  });
});
