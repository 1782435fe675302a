// Questions of sub-agents, put to the user of the host that has started them: in both eras, on both ways in.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { agentFile, place, type Place } from "../cli/command-line.ts";
import { ERAS, type Form, type HostWishes, inProcess, overHttp } from "./host.ts";

const WRITER = "workspace: { allow_writes: true }\n";
const FILES = {
  ".cadre/agents/writer.md": agentFile("writer", "  - { write: a.txt, content: a }\n  - answer: written", WRITER),
  ".cadre/agents/builder.md": agentFile(
    "builder",
    '  - { write: package.json, content: "{}" }\n  - answer: written',
    `${WRITER}permission_mode: acceptEdits\n`,
  ),
  ".cadre/agents/twice.md": agentFile(
    "twice",
    "  - { write: a.txt, content: a }\n  - { write: b.txt, content: b }\n  - answer: written",
    WRITER,
  ),
  ".cadre/agents/asker.md": agentFile("asker", "  - ask: Which one?\n  - answer: thanks"),
  ".cadre/agents/lead.md": agentFile("lead", "  - delegate: writer\n    prompt: write\n  - answer: led", WRITER),
  ".cadre/agents/padder.md": agentFile(
    "padder",
    `  - ask: "harmless${" ".repeat(300)}\\u202egnp.exe\\u001b[2K\\n\\n\\n\\n\\n\\n| forged"\n  - answer: x`,
  ),
  ".cadre/agents/novel.md": agentFile("novel", `  - ask: "${"long ".repeat(6_000)}"\n  - answer: x`),
};

const accept = (content: Record<string, string>) => ({ action: "accept" as const, content });
const allow = () => accept({ decision: "allow once" });
const written = ({ project }: Place, name = "a.txt") => existsSync(join(project, name));

const WAYS = { "in this process": inProcess, "over HTTP": overHttp } as const;

describe.each(Object.entries(WAYS))("%s", (_way, connect) => {
  describe.each(ERAS)("a host of %s", (era) => {
    test("its user is asked, sees the whole call, and allows it", { timeout: 30_000 }, async () => {
      const where = await place(FILES);
      const forms: Form[] = [];
      const answer = (form: Form) => (forms.push(form), allow());
      const { call, person } = await connect(where, { era, answer });
      const { data } = await call("task", { agent_name: "writer", prompt: "x" });
      expect(data).toMatchObject({ status: "completed", output: "written" });
      expect(written(where)).toBe(true);
      expect(forms).toHaveLength(1);
      expect(forms[0]?.message).toContain("writer wants to use Write");
      expect(forms[0]?.message).toContain("a.txt");
      const { task } = { task: await person.call("task.get", { task: String(data["task_id"]) }) };
      expect(task.spec.askable).toBe("host");
      expect(task.approvals).toMatchObject([{ state: "applied", by: expect.stringContaining("through a host") }]);
    });

    test("its user is told why, where others would run what is written", { timeout: 30_000 }, async () => {
      const forms: Form[] = [];
      const answer = (form: Form) => (forms.push(form), allow());
      const { call } = await connect(await place(FILES), { era, answer });
      await call("task", { agent_name: "builder", prompt: "x" });
      expect(forms.map(({ message }) => message)).toEqual([
        expect.stringContaining(
          "builder wants to use Write: whoever installs, builds, tests or opens the project runs",
        ),
      ]);
    });

    test.each([
      ["declines", () => ({ action: "decline" as const })],
      ["cancels", () => ({ action: "cancel" as const })],
      ["accepts and says deny", () => accept({ decision: "deny" })],
      ["accepts and says something else", () => accept({ decision: "allow always" })],
      ["accepts and says nothing", () => ({ action: "accept" as const })],
    ])("its user %s: it is a denial", { timeout: 30_000 }, async (_what, answer) => {
      const where = await place(FILES);
      const { call, person } = await connect(where, { era, answer });
      const { data } = await call("task", { agent_name: "writer", prompt: "x" });
      expect(written(where)).toBe(false);
      const task = await person.call("task.get", { task: String(data["task_id"]) });
      expect(task.approvals.map(({ answer: given }) => given?.verdict)).toEqual(["deny"]);
    });

    test("what is asked in words is answered in words, and below a task too", { timeout: 30_000 }, async () => {
      const where = await place(FILES);
      const forms: string[] = [];
      const answer = ({ message, requestedSchema }: Form) => {
        forms.push(message);
        return "answer" in requestedSchema.properties ? accept({ answer: "the second" }) : allow();
      };
      const { call, person } = await connect(where, { era, answer });
      const asked = await call("task", { agent_name: "asker", prompt: "x" });
      expect(asked.data).toMatchObject({ output: "thanks" });
      const task = await person.call("task.get", { task: String(asked.data["task_id"]) });
      expect(task.approvals[0]?.answer).toEqual({ verdict: "text", text: "the second" });
      const led = await call("task", { agent_name: "lead", prompt: "x" });
      expect(led.data).toMatchObject({ output: "led" });
      expect(written(where)).toBe(true);
      expect(forms.at(-1)).toContain("writer wants to use Write");
    });

    test("one question after the other in one call", { timeout: 30_000 }, async () => {
      const where = await place(FILES);
      let asked = 0;
      const { call } = await connect(where, { era, answer: () => (asked++, allow()) });
      expect((await call("task", { agent_name: "twice", prompt: "x" })).data).toMatchObject({ output: "written" });
      expect([asked, written(where, "b.txt")]).toEqual([2, true]);
    });

    test("in the background nobody is asked until somebody asks after it", { timeout: 30_000 }, async () => {
      const where = await place(FILES);
      const { call } = await connect(where, { era, answer: allow });
      const { data } = await call("task", { agent_name: "writer", prompt: "x", background: true });
      const looked = await call("task_output", { task_id: data["task_id"] });
      expect(looked.data).toMatchObject({ output: "written" });
    });

    test("one that has no form leaves it to the inbox", { timeout: 30_000 }, async () => {
      const where = await place(FILES);
      const { call, person } = await connect(where, { era });
      const { data } = await call("task", { agent_name: "writer", prompt: "x" });
      // The question is there a moment before its task waits for it.
      expect(["running", "waiting"]).toContain(data["status"]);
      const task = await person.call("task.get", { task: String(data["task_id"]) });
      expect(task.spec.askable).toBe("inbox");
      await call("task_stop", { task_id: data["task_id"] });
    });
  });
});

describe("what is shown", () => {
  test("is whole and escaped, and cannot look like ours", { timeout: 30_000 }, async () => {
    const forms: string[] = [];
    const answer = ({ message }: Form) => (forms.push(message), { action: "decline" as const });
    const { call } = await inProcess(await place(FILES), { answer });
    await call("task", { agent_name: "padder", prompt: "x" });
    const [shown = ""] = forms;
    expect(shown).toContain("| harmless [300 spaces] \\u{202e}gnp.exe\\u{1b}[2K");
    expect(shown).toContain("| [5 empty lines]\n| | forged");
    for (const hidden of ["\u202e", "\u001b"]) expect(shown).not.toContain(hidden);
  });

  test("is not cut: what is too long for a form is for the inbox", { timeout: 30_000 }, async () => {
    let asked = 0;
    const { call } = await inProcess(await place(FILES), { answer: () => (asked++, allow()) });
    const { data } = await call("task", { agent_name: "novel", prompt: "x" });
    expect([asked, data["status"]]).toEqual([0, "waiting"]);
    await call("task_stop", { task_id: data["task_id"] });
  });
});

describe("only the host that has started it", () => {
  test.each(ERAS)("of %s: another host of the same server is not asked", { timeout: 30_000 }, async (era) => {
    const where = await place(FILES);
    let others = 0;
    const first = await overHttp(where, { era, name: "first", answer: allow });
    const { data } = await first.call("task", { agent_name: "writer", prompt: "x", background: true });
    const second = await first.another({ era, name: "second", answer: () => (others++, allow()) });
    const seen = await second.call("task_output", { task_id: data["task_id"], timeout: 2_000 });
    expect([others, seen.data["status"], written(where)]).toEqual([0, "waiting", false]);
    expect((await first.call("task_output", { task_id: data["task_id"] })).data).toMatchObject({ output: "written" });
  });

  test("and not where the settings say no", { timeout: 30_000 }, async () => {
    const where = await place({ ...FILES, ".cadre/config.yml": "security:\n  host_approvals: false\n" });
    let asked = 0;
    const { call } = await inProcess(where, { answer: () => (asked++, allow()) });
    const { data } = await call("task", { agent_name: "writer", prompt: "x" });
    expect([asked, data["status"]]).toEqual([0, "waiting"]);
    await call("task_stop", { task_id: data["task_id"] });
  });

  test("a project cannot let hosts ask where the user does not", async () => {
    const where = await place({ ...FILES, ".cadre/config.yml": "security:\n  host_approvals: true\n" });
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security:\n  host_approvals: false\n");
    const { person } = await inProcess(where);
    const { value } = await person.call("config.get", { key: "security.host_approvals" });
    expect(value).toBe(false);
  });
});

describe("the state that goes through the host", () => {
  const Asked = z.looseObject({
    resultType: z.literal("input_required"),
    requestState: z.string(),
    inputRequests: z.record(z.string(), z.unknown()),
  });
  const META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };

  /** Requests as they are on the wire. */
  const rawHost = async (where: Place) => {
    const { url, person, call } = await overHttp(where, {});
    let id = 0;
    const post = async (args: Record<string, unknown>, more: Record<string, unknown> = {}, name = "raw") => {
      const meta = { ...META, "io.modelcontextprotocol/clientInfo": { name, version: "1" } };
      const params = { name: "task", arguments: args, _meta: meta, ...more };
      const response = await fetch(url, {
        method: "POST",
        headers: {
          Authorization: "Bearer a-token-that-only-this-test-knows-0123456789",
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "MCP-Protocol-Version": "2026-07-28",
          "Mcp-Method": "tools/call",
          "Mcp-Name": "task",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools/call", params }),
      });
      return (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
    };
    return { post, person, call };
  };

  const ARGS = { agent_name: "writer", prompt: "x" };
  const yes = (asked: z.infer<typeof Asked>) =>
    Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, allow()]));

  test("starts nothing a second time, and can be used once", { timeout: 30_000 }, async () => {
    const where = await place(FILES);
    const { post, person } = await rawHost(where);
    const asked = Asked.parse((await post(ARGS)).result);
    const more = { requestState: asked.requestState, inputResponses: yes(asked) };
    const done = await post(ARGS, more);
    expect(done.result).toMatchObject({ structuredContent: { status: "completed" } });
    expect((await person.call("task.list", {})).tasks).toHaveLength(1);
    const again = await post(ARGS, more);
    expect(again.result).toMatchObject({ structuredContent: { status: "completed" } });
    expect((await person.call("task.list", {})).tasks).toHaveLength(1);
  });

  test("is refused when changed, with another call, or from another host", { timeout: 30_000 }, async () => {
    const where = await place(FILES);
    const { post, person, call } = await rawHost(where);
    const asked = Asked.parse((await post(ARGS)).result);
    const { requestState } = asked;
    const [head = "", body = "", mac = ""] = requestState.split(".");
    const forged = JSON.parse(Buffer.from(body, "base64url").toString()) as { p: { session: string } };
    forged.p.session = "x";
    const tries: [Record<string, unknown>, string, string?][] = [
      [ARGS, `${requestState}x`],
      [ARGS, `${head}.${Buffer.from(JSON.stringify(forged)).toString("base64url")}.${mac}`],
      [ARGS, "v1.e30.e30"],
      [{ ...ARGS, prompt: "another" }, requestState],
      [ARGS, requestState, "another-host"],
    ];
    for (const [args, state, name] of tries) {
      const refused = await post(args, { requestState: state, inputResponses: yes(asked) }, name);
      expect(refused.error).toMatchObject({ code: -32_602 });
    }
    expect(written(where)).toBe(false);
    const [task] = (await person.call("task.list", {})).tasks;
    expect(task?.approvals.map(({ state }) => state)).toEqual(["open"]);
    await call("task_stop", { task_id: task?.id });
  });

  test("answers without it, or as an argument, are no answers", { timeout: 30_000 }, async () => {
    const where = await place(FILES);
    const { post, person, call } = await rawHost(where);
    const asked = Asked.parse((await post(ARGS)).result);
    const [first] = (await person.call("task.list", {})).tasks;
    // Without the state it is another call: it starts another task, and answers nothing.
    await post({ agent_name: "asker", prompt: "x" }, { inputResponses: yes(asked) });
    const bad = await post({ ...ARGS, inputResponses: yes(asked), requestState: asked.requestState });
    expect(bad.result).toMatchObject({ isError: true });
    const now = await person.call("task.get", { task: first?.id ?? "" });
    expect(now.approvals.map(({ state }) => state)).toEqual(["open"]);
    for (const { id } of (await person.call("task.list", {})).tasks) await call("task_stop", { task_id: id });
  });
});

describe("the Tasks extension", () => {
  const Anything = z.looseObject({});
  const wishes: HostWishes = { era: "2026", followsTasks: true, answer: allow };

  test("shows what is asked, and takes the answer by tasks/update", { timeout: 30_000 }, async () => {
    const where = await place(FILES);
    const { client, call } = await overHttp(where, wishes);
    const { data } = await call("task", { agent_name: "writer", prompt: "x", background: true });
    const taskId = data["task_id"];
    const get = () => client.request({ method: "tasks/get", params: { taskId } }, Anything);
    await expect.poll(async () => (await get())["status"], { timeout: 15_000 }).toBe("input_required");
    const { inputRequests } = z.looseObject({ inputRequests: z.record(z.string(), z.unknown()) }).parse(await get());
    const [key = ""] = Object.keys(inputRequests);
    expect(inputRequests[key]).toMatchObject({ method: "elicitation/create" });
    const update = (inputResponses: unknown) =>
      client.request({ method: "tasks/update", params: { taskId, inputResponses } }, Anything);
    await update({ appr_unknown: allow() });
    expect((await get())["status"]).toBe("input_required");
    await update({ [key]: allow() });
    await expect.poll(async () => (await get())["status"], { timeout: 15_000 }).toBe("completed");
    expect(written(where)).toBe(true);
  });

  test("those who did not start it see it work, and answer nothing", { timeout: 30_000 }, async () => {
    const where = await place(FILES);
    const first = await overHttp(where, { ...wishes, name: "first" });
    const { data } = await first.call("task", { agent_name: "writer", prompt: "x", background: true });
    const taskId = String(data["task_id"]);
    const second = await first.another({ ...wishes, name: "second" });
    const asking = async () => (await first.person.call("task.get", { task: taskId })).approvals[0]?.id;
    await expect.poll(asking, { timeout: 15_000 }).toBeDefined();
    const params = { taskId, inputResponses: { [String(await asking())]: allow() } };
    await second.client.request({ method: "tasks/update", params }, Anything);
    const seen = await second.client.request({ method: "tasks/get", params: { taskId } }, Anything);
    expect([seen["status"], written(where)]).toEqual(["working", false]);
    await first.call("task_stop", { task_id: taskId });
  });
});
