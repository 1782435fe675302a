import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { builtInRegistry } from "../../src/definitions/index.ts";
import { readAgentText } from "../../src/definitions/own-format/read-agent-text.ts";
import { decideCall } from "../../src/domain/decide-call.ts";
import { BASELINE, policyOf } from "../../src/domain/policy.ts";
import { TOOLS } from "../../src/domain/tool-names.ts";
import { packageRoot } from "../../src/platform/package-root.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

const { agents, problems } = await builtInRegistry().list();
const named = (name: string) => {
  const found = agents.find(({ definition }) => definition.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.definition;
};

describe("the agents that come with Cadre", () => {
  it("are these, without a problem", () => {
    expect(problems).toEqual([]);
    expect(agents.map(({ definition }) => definition.name)).toEqual([
      "Bash",
      "Explore",
      "Plan",
      "Review",
      "codebase-investigator",
      "general-purpose",
      "help",
      "oracle",
      "orchestrator",
      "pair",
      "reviewer",
    ]);
  });

  it("need no trust, run on our own loop and on the model of whoever asks", () => {
    for (const { definition, source, trusted, unseen } of agents) {
      expect([definition.backend, definition.model, source, trusted, unseen], definition.name).toEqual([
        "native",
        "inherit",
        "built in",
        true,
        undefined,
      ]);
    }
  });

  it("name only tools that there are", () => {
    const rules = agents.flatMap(({ definition: { tools = [] } }) =>
      Array.isArray(tools) ? tools : [...tools.allow, ...tools.deny],
    );
    const names = agents.map(({ definition }) => definition.name);
    const isAgent = (rule: string) => names.some((name) => rule === `Task(${name})`);
    expect(rules.filter((rule) => !TOOLS.some((tool) => tool === rule) && !isAgent(rule))).toEqual([]);
  });

  const web = ["WebFetch", "WebSearch"];
  const table: [name: string, mode: string, tools: unknown, turns: number][] = [
    ["Explore", "plan", ["Read", "Glob", "Grep", ...web], 30],
    ["Plan", "plan", ["Read", "Glob", "Grep", ...web], 50],
    ["Bash", "default", ["Bash", "Read", "Glob", "Grep"], 30],
    ["Review", "plan", ["Read", "Glob", "Grep", "Bash"], 30],
    ["general-purpose", "default", { mode: "denylist", allow: [], ask: [], deny: ["Task"] }, 50],
  ];

  it.each(table)("%s has the mode, tools and turns that its users know", (name, mode, tools, turns) => {
    const { permission_mode, max_turns, tools: own } = named(name);
    expect([permission_mode, own, max_turns]).toEqual([mode, tools, turns]);
  });

  it("only read, but for those two whose work is to change things", () => {
    const writers = agents
      .filter(({ definition }) => definition.workspace.allow_writes)
      .map(({ definition }) => definition.name);
    expect(writers).toEqual(["Bash", "general-purpose"]);
    const planners = agents
      .filter(({ definition }) => definition.permission_mode === "plan")
      .map(({ definition }) => definition.name);
    expect(planners).toEqual([
      "Explore",
      "Plan",
      "Review",
      "codebase-investigator",
      "help",
      "oracle",
      "pair",
      "reviewer",
    ]);
  });

  it("have the roles of their archetypes, and only the orchestrator delegates", () => {
    expect(named("oracle").capabilities).toEqual(["subtask"]);
    expect(named("reviewer").capabilities).toEqual(["subtask"]);
    expect(named("pair").capabilities).toEqual(["watcher", "subtask"]);
    expect(named("orchestrator").capabilities).toEqual(["orchestrator", "subtask"]);
    const mayDelegate = ({ definition }: (typeof agents)[number]) =>
      decideCall(policyOf(definition, BASELINE), { tool: "Task", effect: "delegate", agent: "Explore" }).verdict ===
      "allow";
    expect(agents.filter(mayDelegate).map(({ definition }) => definition.name)).toEqual(["orchestrator"]);
  });

  it("the investigator reports what its users read", () => {
    const { inputs, output, max_turns, timeout_mins } = named("codebase-investigator");
    expect(inputs).toMatchObject([{ name: "objective", type: "string", required: true }]);
    expect([max_turns, timeout_mins]).toEqual([50, 10]);
    expect(output).toMatchObject({
      name: "report",
      schema: {
        required: ["SummaryOfFindings", "ExplorationTrace", "RelevantLocations"],
        properties: {
          SummaryOfFindings: { type: "string" },
          ExplorationTrace: { type: "array", items: { type: "string" } },
          RelevantLocations: {
            items: { required: ["FilePath", "Reasoning", "KeySymbols"], properties: { KeySymbols: { type: "array" } } },
          },
        },
      },
    });
  });

  it("help answers with commands and sources, and knows every command there is, as it explains itself", async () => {
    const { output, prompt } = named("help");
    expect(output?.schema["required"]).toEqual(["answer", "commands", "sources"]);
    const commands = await Promise.all(Object.values(COMMANDS).map(async (load) => (await load()).command));
    const shown = commands.filter(({ hidden }) => hidden !== true);
    const listed = prompt.split("\n").filter((line) => line.startsWith("- `cadre "));
    expect(listed).toEqual(shown.map(({ usage, summary }) => `- \`cadre ${usage}\`: ${summary}`));
  });

  it("are found by their names however they are spelt, by an alias, and not otherwise", async () => {
    const registry = builtInRegistry();
    const nameOf = async (name: string) => (await registry.find(name))?.definition.name;
    expect(await nameOf("explore")).toBe("Explore");
    expect(await nameOf("codebase_investigator")).toBe("codebase-investigator");
    expect(await nameOf("General_Purpose")).toBe("general-purpose");
    expect(await nameOf("cli_help")).toBe("help");
    expect(await nameOf("cli-help")).toBe("help");
    expect(await nameOf("constructor")).toBeUndefined();
    expect(await nameOf("expl")).toBeUndefined();
  });

  it("are read until they could be, and then no more: what is exchanged while it runs goes on as it was", async () => {
    const folder = await temporaryFolder();
    await write(folder, { "first.md": "no agent" });
    const registry = builtInRegistry({ folder });
    const names = async () => (await registry.list()).agents.map(({ definition }) => definition.name);
    expect(await names()).toEqual([]);
    await write(folder, { "first.md": "---\nname: first\ndescription: Is first.\n---\nBe first.\n" });
    expect(await names()).toEqual(["first"]);
    await write(folder, { "second.md": "---\nname: second\ndescription: Is second.\n---\nBe second.\n" });
    expect(await names()).toEqual(["first"]);
  });

  it("are none where the package has lost them", async () => {
    const registry = builtInRegistry({ folder: join(packageRoot(), "nowhere") });
    expect(await registry.list()).toEqual({ agents: [], problems: [] });
    expect(await registry.find("explore")).toBeUndefined();
  });

  it("have files of their own names, which our own reader accepts", async () => {
    const folder = join(packageRoot(), "src/definitions/built-in");
    expect(
      readdirSync(folder)
        .map((file) => file.replace(".md", ""))
        .toSorted(),
    ).toEqual(agents.map(({ definition }) => definition.name).toSorted());
    expect(await readAgentText("---\ndescription: d\n---\n", "x.md")).toMatchObject({ ok: true });
  });
});
