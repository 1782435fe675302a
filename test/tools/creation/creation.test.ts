// New agents and tools by an agent: written, waiting, and of no use to whoever wrote them.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cadre, openCadre } from "../../../src/app/index.ts";
import { agentFile, place, type Place } from "../../cli/command-line.ts";

async function open({ project, userHome, env }: Place, isPerson = true): Promise<Cadre> {
  const as = isPerson ? {} : { mouth: "mcp" as const, isPerson: false };
  const cadre = await openCadre({ cwd: project, userHome, env, ...as });
  onTestFinished(() => cadre.close());
  return cadre;
}

const NEW = { name: "scanner", description: 'Scans: a "thing"', prompt: "You scan.\n---\nname: other\n---" };
const TOOL = {
  name: "greet",
  description: "Greets.",
  command: ["./run.sh", "${who}"],
  inputs: [{ name: "who", type: "string" as const }],
  script: { name: "run.sh", text: "#!/bin/sh\necho hello $1\n" },
};

describe("an agent that a model writes", () => {
  it("lies in the project for nobody else to read, and runs once a person has agreed", async () => {
    const where = await place();
    const model = await open(where, false);
    expect(await model.call("agent.create", NEW)).toEqual({ file: ".cadre/agents/scanner.md", waits: true });
    const file = join(where.project, ".cadre/agents/scanner.md");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const shown = await model.call("agent.get", { agent: "scanner" });
    expect(shown.trusted).toBe(false);
    expect(shown.unseen?.[0]).toMatch(/^was written by a model, over mcp \(.+\), and nobody has agreed to it yet$/);
    expect(shown.definition).toMatchObject({ prompt: NEW.prompt, description: NEW.description });
    await expect(model.start({ agent: "scanner", prompt: "x" })).rejects.toMatchObject({ code: "agent.untrusted" });
    await expect(model.call("trust.grant", {})).rejects.toMatchObject({ code: "authority.denied" });

    const person = await open(where);
    const { findings } = await person.call("agent.check", {});
    expect(findings.map(({ message }) => message).join()).toContain("nobody has agreed to it yet");
    const { seen } = await person.call("trust.grant", {});
    expect(seen.map(({ agent }) => agent)).toEqual(["scanner"]);
    expect((await model.call("agent.get", { agent: "scanner" })).trusted).toBe(true);
  });

  it("waits again when a word of it changes", async () => {
    const where = await place();
    await (await open(where, false)).call("agent.create", NEW);
    const person = await open(where);
    await person.call("trust.grant", {});
    const file = join(where.project, ".cadre/agents/scanner.md");
    writeFileSync(file, readFileSync(file, "utf8").replace("You scan.", "You delete."));
    expect((await person.call("agent.get", { agent: "scanner" })).trusted).toBe(false);
  });

  it("waits also where whoever runs the process answers for the folder, and where it is put into the user's own", async () => {
    const where = await place({}, { trusted: false });
    const { project, userHome, env } = where;
    await (await open(where, false)).call("agent.create", NEW);
    await using trusting = await openCadre({ cwd: project, userHome, env, trusted: [project] });
    expect((await trusting.call("agent.get", { agent: "scanner" })).trusted).toBe(false);
    const text = readFileSync(join(project, ".cadre/agents/scanner.md"), "utf8");
    mkdirSync(join(userHome, ".cadre/agents"), { recursive: true });
    writeFileSync(join(userHome, ".cadre/agents/mine.md"), text.replace("name: scanner", "name: mine"));
    expect((await trusting.call("agent.get", { agent: "mine" })).trusted).toBe(false);
  });

  it.each([
    [{ name: "../evil" }, /agent names hold letters/],
    [{ name: "oracle" }, /there is an agent of that name: built in/],
    [{ name: "Existing" }, /there is an agent of that name/],
    [{ description: "  " }, /description/],
    [{ prompt: undefined }, /prompt/],
    [{ permission_mode: "auto" }, /permission_mode/],
    [{ command: ["rm"] }, /Unrecognized key/],
    [{ proposed: null }, /Unrecognized key/],
    [{ mcp_servers: {} }, /Unrecognized key/],
  ])("is refused: %j", async (wrong, why) => {
    const where = await place({ ".cadre/agents/existing.md": agentFile("existing", "  - answer: x") });
    const model = await open(where, false);
    await expect(model.call("agent.create", { ...NEW, ...wrong } as never)).rejects.toThrow(why);
    expect(existsSync(join(where.project, ".cadre/agents/scanner.md"))).toBe(false);
  });

  it("has no place outside of a project, and only so many may wait", async () => {
    const where = await place();
    const { userHome, env } = where;
    await using atHome = await openCadre({ cwd: userHome, userHome, env, mouth: "mcp", isPerson: false });
    await expect(atHome.call("agent.create", NEW)).rejects.toThrow("there is no project here");
    const model = await open(where, false);
    for (let n = 0; n < 20; n++) await model.call("agent.create", { ...NEW, name: `a${n}` });
    await expect(model.call("agent.create", NEW)).rejects.toThrow("20 agents wait for a person already");
  });

  it("is not written through a link", async () => {
    const where = await place({ "elsewhere/keep": "" });
    symlinkSync(join(where.project, "elsewhere"), join(where.project, ".cadre/agents"));
    await expect((await open(where, false)).call("agent.create", NEW)).rejects.toThrow(
      ".cadre/agents cannot be used: ",
    );
  });
});

describe("a tool that a model writes", () => {
  it("is not run by anybody before a person has agreed", async () => {
    const where = await place();
    const model = await open(where, false);
    const { waits } = await model.call("tool.create", { ...TOOL, scope: "user" });
    expect(waits).toBe(true);
    const folder = join(where.project, ".cadre/tools/greet");
    expect([statSync(join(folder, "tool.yml")).mode & 0o777, statSync(join(folder, "run.sh")).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    const person = await open(where);
    await expect(person.call("tool.run", { tool: "greet", inputs: { who: "you" } })).rejects.toThrow(
      "nobody has agreed to it yet",
    );
    const { tools } = await person.call("trust.grant", {});
    expect(tools).toEqual([
      {
        tool: "greet",
        source: join(folder, "tool.yml"),
        what: [expect.stringContaining("was written by a model"), "runs: ./run.sh ${who}"],
      },
    ]);
    expect(await person.call("tool.run", { tool: "greet", inputs: { who: "you" } })).toMatchObject({
      text: "hello you\n",
    });
    writeFileSync(join(folder, "run.sh"), "#!/bin/sh\necho gotcha\n");
    await expect(person.call("tool.run", { tool: "greet", inputs: { who: "you" } })).rejects.toThrow(
      "nobody has agreed to it yet",
    );
  });

  it.each([
    [{ name: "../evil" }, /cannot be the name of a tool/],
    [{ name: "Bash" }, /a tool of Cadre's own has this name/],
    [{ command: ["sh", "-c", "echo ${who}"] }, /would run the value as code/],
    [{ command: ["${who}"] }, /the program itself cannot come from an input/],
    [{ script: { name: "../x", text: "y" } }, /plain name of a file/],
    [{ script: { name: "tool.yml", text: "y" } }, /EEXIST/],
    [{ env: ["HOME"] }, /Unrecognized key/],
  ])("is refused: %j", async (wrong, why) => {
    const where = await place();
    await expect((await open(where, false)).call("tool.create", { ...TOOL, ...wrong })).rejects.toThrow(why);
    expect(existsSync(join(where.project, ".cadre/tools/greet"))).toBe(false);
  });

  it("never takes the place of one that is there", async () => {
    const where = await place();
    const model = await open(where, false);
    await model.call("tool.create", TOOL);
    await expect(model.call("tool.create", { ...TOOL, description: "Other." })).rejects.toThrow(
      'there is a tool called "greet" already',
    );
  });
});

describe("on our own loop", () => {
  const NATIVE = "backend: native\npermission_mode: default\n";
  const call = (name: string, input: object, expected: string) =>
    `  - call: ${name}\n    input: ${JSON.stringify(input)}\n    expect: ${JSON.stringify(expected)}\n`;

  it("an agent that names the tools can write, and can use nothing of it", async () => {
    const tape = `${call("AgentCreate", NEW, 'The agent "scanner" was written to .cadre/agents/scanner.md. It waits')}${call("ToolCreate", TOOL, "It waits for a person")}${call("Task", { subagent_type: "scanner", prompt: "x", description: "d" }, "nobody has agreed to it yet")}${call("greet", { who: "x" }, "There is no tool")}  - answer: done`;
    const where = await place({
      ".cadre/agents/maker.md": agentFile(
        "maker",
        tape,
        `${NATIVE}tools: [AgentCreate, ToolCreate, Task(scanner), greet]\n`,
      ),
    });
    const cadre = await open(where);
    const { outcome } = await cadre.run({ agent: "maker", prompt: "go" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
    expect(readFileSync(join(where.project, ".cadre/agents/scanner.md"), "utf8")).toContain("by: the agent maker");
  });

  it("one that does not name them has none of them", async () => {
    const tape = `${call("AgentCreate", NEW, "There is no tool")}  - answer: done`;
    const where = await place({ ".cadre/agents/maker.md": agentFile("maker", tape, NATIVE) });
    expect((await (await open(where)).run({ agent: "maker", prompt: "go" })).outcome).toMatchObject({
      status: "completed",
    });
  });
});

describe("a tool of a trusted project", () => {
  it("is given to agents once a person has seen it, and again when it has changed", async () => {
    const manifest = (word: string) => `name: say\ndescription: Says.\ncommand: [echo, ${word}]\n`;
    const tape = "  - call: say\n    expect: hello\n  - answer: done";
    const where = await place({
      ".cadre/agents/user.md": agentFile("user", tape, "backend: native\npermission_mode: auto\ntools: [say]\n"),
      ".cadre/tools/say/tool.yml": manifest("hello"),
    });
    const cadre = await open(where);
    expect((await cadre.run({ agent: "user", prompt: "go" })).outcome).toMatchObject({ status: "completed" });
    writeFileSync(join(where.project, ".cadre/tools/say/tool.yml"), manifest("gotcha"));
    expect((await cadre.run({ agent: "user", prompt: "go" })).outcome).toMatchObject({ status: "failed" });
    expect((await cadre.call("tool.list", {})).tools).toMatchObject([{ name: "say", unseen: ["runs: echo gotcha"] }]);
    // A person may try out what they are writing.
    expect(await cadre.call("tool.run", { tool: "say" })).toMatchObject({ text: "gotcha\n" });
  });
});
