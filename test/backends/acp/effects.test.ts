import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namedPipe, temporaryFolder, waitingAt } from "../../custody/kit.ts";
import { factsOf } from "../../engine/kit.ts";
import { type AcpSetup, FREE, outcomeOf, withPeer } from "./kit.ts";
import type { Step } from "./stub-agent.ts";

/** What the peer was answered to its last call. */
async function answerTo(steps: readonly Step[], setup: AcpSetup): Promise<unknown> {
  const outcome = await outcomeOf([...steps, { tell: "last" }], setup);
  if (outcome?.status !== "completed") throw new Error(JSON.stringify(outcome));
  return JSON.parse(outcome.answer) as unknown;
}

const read = (path: string, more: object = {}): Step => ({ call: "fs/read_text_file", params: { path, ...more } });
const write = (path: string, content: string): Step => ({ call: "fs/write_text_file", params: { path, content } });
const refused = (message: RegExp) => ({
  error: { code: expect.any(Number) as number, message: expect.stringMatching(message) as string },
});

describe("files that a peer has us read", () => {
  it("are read, whole or by lines", async () => {
    const project = temporaryFolder();
    const path = join(project, "a.txt");
    writeFileSync(path, "eins\nzwei\ndrei\n");
    expect(await answerTo([read(path)], { project })).toEqual({ content: "eins\nzwei\ndrei\n" });
    expect(await answerTo([read(path, { line: 2, limit: 1 })], { project })).toEqual({ content: "zwei\n" });
    expect(await answerTo([read(path, { line: 9 })], { project })).toEqual({ content: "" });
  });

  it("are not read where they are none, or lie outside, or behind a link", async () => {
    const [project, elsewhere] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(elsewhere, "secret"), "canary-91");
    symlinkSync(join(elsewhere, "secret"), join(project, "link"));
    symlinkSync(elsewhere, join(project, "folder"));
    const cases: [string, RegExp][] = [
      [join(project, "missing"), /does not exist/],
      [join(elsewhere, "secret"), /lies outside of the workspace/],
      [`${project}/../${elsewhere.split("/").at(-1)}/secret`, /lies outside/],
      [join(project, "link"), /not a regular file/],
      [join(project, "folder/secret"), /link/],
      ["a.txt", /not an absolute path/],
      [`${project}\u202E/a`, /nobody can see/],
      ["/proc/self/environ", /lies outside/],
    ];
    const steps = cases.flatMap(([path]): Step[] => [read(path), { tell: "last" }, { say: "\n" }]);
    const outcome = await outcomeOf(steps, { project });
    const answers = (outcome?.status === "completed" ? outcome.answer : "").trim().split("\n");
    expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(
      cases.map(([, message]) => refused(message)),
    );
    expect(JSON.stringify(outcome)).not.toContain("canary-91");
  });
});

describe("files that a peer has us write", () => {
  it("are written where the policy allows it, and the log has it before and after", async () => {
    const project = temporaryFolder();
    await using world = await withPeer(
      { prompts: [[write(join(project, "new/a.txt"), "text"), { tell: "last" }]] },
      { project, agent: FREE },
    );
    const task = await world.engine.run({ agent: "peer" });
    expect(task.outcome).toMatchObject({ answer: "{}" });
    expect(readFileSync(join(project, "new/a.txt"), "utf8")).toBe("text");
    const log = await world.engine.log(task.id);
    const [called] = factsOf(log, "tool.called");
    expect(called).toMatchObject({ tool: "Write", effect: "write", input: { content: "text" } });
    expect(factsOf(log, "tool.returned")).toEqual([
      { type: "tool.returned", call: called?.call, ok: true, output: "4 bytes written", truncated: false },
    ]);
  });

  it("are not written outside, behind links, over hard links, or where the policy protects them", async () => {
    const [project, elsewhere] = [temporaryFolder(), temporaryFolder()];
    symlinkSync(elsewhere, join(project, "folder"));
    writeFileSync(join(elsewhere, "hard"), "before");
    linkSync(join(elsewhere, "hard"), join(project, "hard"));
    mkdirSync(join(project, ".git"));
    const targets = [
      join(elsewhere, "x"),
      join(project, "folder/x"),
      join(project, "hard"),
      join(project, ".git/config"),
      "x",
    ];
    const steps = targets.flatMap((path): Step[] => [write(path, "evil"), { tell: "last" }, { say: "\n" }]);
    const outcome = await outcomeOf(steps, { project, agent: FREE });
    const answers = (outcome?.status === "completed" ? outcome.answer : "").trim().split("\n");
    expect(answers.map((answer) => JSON.parse(answer) as unknown)).toEqual(targets.map(() => refused(/./)));
    expect(readdirSync(elsewhere)).toEqual(["hard"]);
    expect(readFileSync(join(elsewhere, "hard"), "utf8")).toBe("before");
    expect(existsSync(join(project, ".git/config"))).toBe(false);
  });
});

describe("terminals of a peer", () => {
  const create = (params: object): Step => ({ call: "terminal/create", params, keep: "term" });
  const of = (method: string): Step => ({ call: `terminal/${method}`, params: { terminalId: "$term" } });

  it("run a program, and say what came out and how it ended", async () => {
    const steps = [create({ command: "sh", args: ["-c", "echo out; echo err >&2; exit 3"] }), of("wait_for_exit")];
    expect(await answerTo(steps, { agent: FREE })).toEqual({ exitCode: 3, signal: null });
    const output = (await answerTo([...steps, of("output")], { agent: FREE })) as { output: string };
    expect(output).toMatchObject({ truncated: false, exitStatus: { exitCode: 3, signal: null } });
    expect(output.output.split("\n").toSorted()).toEqual(["", "err", "out"]);
  });

  it("take a line for the shell, a folder of the workspace, and variables", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, "sub"));
    const wish = { command: 'echo "$PWD $WHAT"', cwd: join(project, "sub"), env: [{ name: "WHAT", value: "ever" }] };
    const answer = await answerTo([create(wish), of("wait_for_exit"), of("output")], { project, agent: FREE });
    expect(answer).toMatchObject({ output: `${join(project, "sub")} ever\n` });
  });

  it("keep the end of what comes, cut between characters", async () => {
    const wish = { command: "sh", args: ["-c", "yes äö | head -c 100000; printf end"], outputByteLimit: 10 };
    const answer = await answerTo([create(wish), of("wait_for_exit"), of("output")], { agent: FREE });
    expect(answer).toMatchObject({ truncated: true, output: expect.stringMatching(/^[äö\n]+end$/) as string });
  });

  it("are ended when they are killed or released, and are then unknown", async () => {
    const pipe = namedPipe();
    const wish = { command: "cat", args: [pipe] };
    expect(await answerTo([create(wish), of("kill"), of("wait_for_exit")], { agent: FREE })).toEqual({
      exitCode: null,
      signal: "SIGTERM",
    });
    expect(await answerTo([create(wish), of("release"), of("output")], { agent: FREE })).toEqual(
      refused(/no terminal/),
    );
    expect(waitingAt(pipe)).toEqual([]);
  });

  it.each([
    ["outside of the workspace", { command: "ls", cwd: "/etc" }, /lies outside/],
    ["by a program that is not there", { command: "no-such-program-x" }, /no program/],
    ["with a variable that is none", { command: "ls", env: [{ name: "A=B", value: "" }] }, /env/],
    ["by nothing", { command: "" }, /command/],
  ])("are not started %s", async (_how, wish, message) => {
    expect(await answerTo([create(wish)], { agent: FREE })).toEqual(refused(message));
  });

  it("are so many, and no more", async () => {
    const parallel = { parallel: 40, method: "terminal/create", params: { command: "true" } };
    const answers = (await answerTo([parallel], { agent: FREE })) as string[];
    expect(answers.filter((answer) => answer.includes("terminalId"))).toHaveLength(32);
  });
});

describe("an agent that only reads", () => {
  it("changes nothing by whatever it asks of us, and is held in the peer's own mode for that", async () => {
    const project = temporaryFolder();
    const record = join(temporaryFolder(), "wire.jsonl");
    const target = join(project, "made");
    const steps: Step[] = [
      write(target, "x"),
      { call: "terminal/create", params: { command: "touch", args: [target] } },
      { call: "terminal/create", params: { command: `echo x > ${target}` } },
      {
        ask: { toolCallId: "1", title: "w", kind: "edit", locations: [{ path: target }] },
        allowed: [write(target, "x")],
      },
      { call: "terminal/create", params: { command: "ls" } },
      { tell: "last" },
    ];
    await using world = await withPeer({ prompts: [steps], record }, { project, agent: { permission_mode: "plan" } });
    const task = await world.engine.run({ agent: "peer" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: '{"terminalId":"term-1"}' }); // it only reads
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(project)).toEqual([".cadre"]);
    const log = await world.engine.log(task.id);
    expect(factsOf(log, "tool.refused")).toHaveLength(4);
    expect(readFileSync(record, "utf8")).toContain('\\"method\\":\\"session/set_mode\\"');
    expect(factsOf(log, "note.taken").map(({ text }) => text)).toContain('the peer is held in its mode "plan"');
  });

  it("is refused where the peer has no mode for it, before it is told anything", async () => {
    const session = { modes: { currentModeId: "yolo", availableModes: [{ id: "yolo", name: "Yolo" }] } };
    const message = "nothing would hold the peer to the task's policy: it offers no mode plan or read-only";
    const outcome = await outcomeOf([{ say: "hm" }], { agent: { permission_mode: "plan" } }, { session });
    expect(outcome).toMatchObject({ status: "failed", reason: "refused", message, answer: null });
  });

  it("fails when the peer leaves that mode", async () => {
    const leave = { update: { sessionUpdate: "current_mode_update", currentModeId: "yolo" } };
    const outcome = await outcomeOf([leave, { hang: "until cancelled" }], { agent: { permission_mode: "plan" } });
    expect(outcome).toMatchObject({
      status: "failed",
      reason: "refused",
      message: expect.stringContaining("left the mode") as string,
    });
  });

  it("finds the mode among config options, too, and by an address", async () => {
    const options = ["x#agent", "x#Read_Only"].map((value) => ({ value, name: value }));
    const session = {
      configOptions: [{ id: "m", name: "M", type: "select", category: "mode", currentValue: "x#agent", options }],
    };
    const outcome = await outcomeOf([{ say: "fine" }], { agent: { permission_mode: "plan" } }, { session });
    expect(outcome).toMatchObject({ status: "completed", answer: "fine" });
  });
});

describe("the environment of a peer", () => {
  it("has a home of the session's own, what the policy names, and what the preset needs", async () => {
    const worker: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: "/root", GEMINI_API_KEY: "key-1" };
    for (let count = 0; count < 20; count++) worker[`CANARY_${count}`] = `canary-value-${count}`;
    for (const name of ["NODE_OPTIONS", "LD_PRELOAD", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"])
      worker[name] = "canary-value";
    process.env["CADRE_CANARY"] = "canary-value-of-the-process";
    const lookup = (name: string) => worker[name];
    const terminal: Step[] = [
      { call: "terminal/create", params: { command: "env" }, keep: "t" },
      { call: "terminal/wait_for_exit", params: { terminalId: "$t" } },
      { call: "terminal/output", params: { terminalId: "$t" } },
    ];
    const steps: Step[] = [{ tell: "environment" }, { say: "\n" }, ...terminal, { tell: "last" }];
    const agent = { ...FREE, backend: "acp-gemini" };
    await using world = await withPeer({ prompts: [steps] }, { agent, options: { lookup } });
    const task = await world.engine.run({ agent: "peer" });
    const answer = task.outcome?.status === "completed" ? task.outcome.answer : JSON.stringify(task.outcome);
    expect(answer).not.toContain("canary-value");
    const [peer = "", program = ""] = answer.split("\n");
    const env = JSON.parse(peer) as Record<string, string>;
    const home = join(world.home, "sessions", `${task.spec.session}.home`, "acp-gemini");
    expect(env).toMatchObject({ HOME: home, GEMINI_API_KEY: "key-1", CADRE_TASK: task.id });
    // The peer's key is not for the programs that it starts.
    expect(program).not.toContain("key-1");
    expect(program).toContain(`HOME=${home}`);
    expect(JSON.stringify(await world.engine.log(task.id)).split("key-1")).toHaveLength(
      JSON.stringify(factsOf(await world.engine.log(task.id), "message.said")).split("key-1").length + 1,
    );
  });
});
