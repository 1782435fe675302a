// MCP servers of agents, from their files to the end of a task.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cadre, openCadre } from "../../../src/app/index.ts";
import { agentFile, place, type Place } from "../../cli/command-line.ts";
import { program } from "./kit.ts";

const { command, args } = program("server", "2026");
const server = (more: readonly string[] = [], fields = "") =>
  `  files: {command: ${command}, args: ${JSON.stringify([...args, ...more])}${fields}}\n`;
const NATIVE = "backend: native\npermission_mode: auto\n";
const TAPE = "  - call: mcp__files__echo\n    input: {text: hello}\n    expect: 'echo: hello'\n  - answer: done";
const agent = (more: string, tape = TAPE) => agentFile("scout", tape, `${NATIVE}${more}`);
const FILE = ".cadre/agents/scout.md";

async function open({ project, userHome, env }: Place): Promise<Cadre> {
  const cadre = await openCadre({ cwd: project, userHome, env });
  onTestFinished(() => cadre.close());
  return cadre;
}

describe("an agent with a server", () => {
  it("calls its tools, in a trusted project", async () => {
    const cadre = await open(await place({ [FILE]: agent(`mcp_servers:\n${server()}`) }));
    const { outcome } = await cadre.run({ agent: "scout", prompt: "go" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
  });

  it("is held to its tools: a rule for one lets no other through", async () => {
    const tape =
      "  - call: mcp__files__broken\n    expect: There is no tool\n  - call: mcp__files__echo\n    input: {text: a}\n    expect: 'echo: a'\n  - answer: done";
    const cadre = await open(
      await place({ [FILE]: agent(`tools: [mcp__files__echo]\nmcp_servers:\n${server()}`, tape) }),
    );
    expect((await cadre.run({ agent: "scout", prompt: "go" })).outcome).toMatchObject({ status: "completed" });
  });

  it("runs nothing before a person has seen the command, by whatever way it is looked at", async () => {
    const where = await place({}, { trusted: false });
    const mark = join(where.project, "started");
    const touch = `mcp_servers:\n  evil: {command: touch, args: [${mark}]}\n`;
    mkdirSync(join(where.project, ".cadre/agents"), { recursive: true });
    writeFileSync(join(where.project, FILE), agent(touch));
    const cadre = await open(where);
    await cadre.call("agent.list", {});
    await cadre.call("agent.get", { agent: "scout" });
    await cadre.call("agent.check", {});
    await expect(cadre.run({ agent: "scout", prompt: "go" })).rejects.toMatchObject({ code: "agent.untrusted" });
    expect(existsSync(mark)).toBe(false);
  });

  it.each([
    ["a command", server(["--more"]), `runs as the MCP server files: ${command} ${args.join(" ")} --more`],
    ["a variable", server([], ", env: {A: b c}"), `runs as the MCP server files: A="b c" ${command}`],
    [
      "an address",
      "  files: {url: 'https://x.example/', headers: {Authorization: t}}\n",
      "asks the MCP server files: https://x.example/, and sends it Authorization",
    ],
    [
      "a launcher",
      "  files: {command: npx, args: [-y, some-server]}\n",
      'npx -y some-server (will not be started: "some-server" names no package with its exact version',
    ],
  ])("is seen again when %s of its servers is new", async (_, changed, words) => {
    const where = await place({ [FILE]: agent(`mcp_servers:\n${server()}`) });
    const cadre = await open(where);
    writeFileSync(join(where.project, FILE), agent(`mcp_servers:\n${changed}`));
    const { trusted, unseen = [] } = await cadre.call("agent.get", { agent: "scout" });
    expect(trusted).toBe(false);
    expect(unseen.join("\n")).toContain(words);
    await cadre.call("trust.grant", {});
    expect((await cadre.call("agent.get", { agent: "scout" })).trusted).toBe(true);
  });

  it("has to be seen for naming a server of the user's, and then gets it", async () => {
    const where = await place({ [FILE]: agent("") });
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre/config.yml"), `mcp:\n  servers:\n  ${server()}`);
    const cadre = await open(where);
    writeFileSync(join(where.project, FILE), agent("mcp_servers: [files]\n"));
    expect((await cadre.call("agent.get", { agent: "scout" })).unseen).toEqual(["uses an MCP server of yours: files"]);
    await cadre.call("trust.grant", {});
    expect((await cadre.run({ agent: "scout", prompt: "go" })).outcome).toMatchObject({ status: "completed" });
  });

  it("fails where a server that it cannot do without is not there", async () => {
    const gone = "mcp_servers:\n  gone: {command: /nowhere/x, required: true}\n";
    const cadre = await open(await place({ [FILE]: agent(gone) }));
    expect((await cadre.run({ agent: "scout", prompt: "go" })).outcome).toMatchObject({
      status: "failed",
      reason: "backend_unavailable",
      message: 'the MCP server "gone" is not there: there is no program /nowhere/x',
    });
  });

  it("is refused on a backend that would leave them out", async () => {
    const tape = agentFile("scout", "  - answer: x", `mcp_servers:\n${server()}`);
    const cadre = await open(await place({ [FILE]: tape }));
    await expect(cadre.start({ agent: "scout", prompt: "go" })).rejects.toThrow(
      'the backend "tape" does not take the MCP servers of "scout"',
    );
  });
});

describe("a project's own settings", () => {
  it("name no servers", async () => {
    const where = await place({
      ".cadre/config.yml": `mcp:\n  servers:\n  ${server()}`,
      [FILE]: agent("mcp_servers: [files]\n", "  - answer: none"),
    });
    const problems: string[] = [];
    const { project, userHome, env } = where;
    await using cadre = await openCadre({
      cwd: project,
      userHome,
      env,
      onProblem: (message) => problems.push(message),
    });
    expect(problems.join()).toContain('"mcp.servers" counts only in the user\'s own file');
    const { id } = await cadre.run({ agent: "scout", prompt: "go" });
    const { events } = await cadre.call("task.events", { task: id });
    expect(JSON.stringify(events)).toContain("your settings hold no server of that name");
  });
});
