// Thirty behaviours of Gemini CLI's agents, 1 to 11 and 29: what is read from its files. The rest is in
// gemini-behaviours.test.ts. Where we do better on purpose, the name says so.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/index.ts";
import { FORMATS, openWired, type WiredOptions } from "../loop-wire/kit.ts";
import { say, type WireScript } from "../models/wire/index.ts";

const agent = (name: string, more = "", body = "You look around.") =>
  `---\nname: ${name}\ndescription: looks around\n${more}---\n${body}\n`;
const inGemini = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`.gemini/agents/${name}`, text]));

async function open(
  files: Record<string, string>,
  script: WireScript = [],
  options: WiredOptions = {},
  format = "anthropic",
) {
  const line = FORMATS.find((one) => one.format === format);
  if (line === undefined) throw new Error(`there is no ${format}`);
  const wired = await openWired(line, script, { ...options, files });
  const list = async () => {
    const { agents, problems } = await wired.cadre.call("agent.list", {});
    const found = agents.filter(({ source }) => source !== "built in");
    return { names: found.map(({ definition }) => definition.name), agents: found, problems };
  };
  return { ...wired, list };
}

const places = (problems: readonly { source: string }[]) =>
  problems.map(({ source }) => source.slice(source.lastIndexOf("/") + 1)).toSorted();

describe("files as Gemini CLI has them", () => {
  test("1. a minimal file loads with 30 turns, 10 minutes, the caller's model and all of its tools", async () => {
    await using world = await open(inGemini({ "scout.md": agent("scout") }));
    const { agents } = await world.list();
    expect(agents[0]).toMatchObject({ definition: { name: "scout", model: "inherit", prompt: "You look around." } });
    expect(agents[0]?.definition.tools).toBeUndefined();
    const { spec, backend } = await world.cadre.start({ agent: "scout", prompt: "look" });
    expect(backend).toBe("native");
    expect(spec).toMatchObject({ model: FORMATS[0]?.model, limits: { maxTurns: 30, timeoutMs: 600_000 } });
  });

  test("2. a file without front matter or description is an error with its path and reason; others load, and what can be mended does", async () => {
    await using world = await open(
      inGemini({
        "good.md": agent("good"),
        "none.md": "just text",
        "silent.md": "---\nname: silent\n---\nx\n",
        "mended.md": agent("mended", "tools: read_file, glob\nmax_turns: -3\n"),
      }),
    );
    const { names, problems, agents } = await world.list();
    expect(names).toEqual(["good", "mended"]);
    expect(places(problems)).toEqual(["none.md", "silent.md"]);
    expect(problems.map(({ message }) => message).join()).toMatch(/no front matter[\s\S]*no description/);
    const mended = agents.find(({ definition }) => definition.name === "mended");
    expect(mended?.definition).toMatchObject({ tools: ["Read", "Glob"] });
    expect(mended?.definition.max_turns).toBeUndefined();
  });

  test("3. (better) an unknown key does not hide the agent, is kept, and warned of by a check; so are both spellings of the MCP key", async () => {
    await using world = await open(
      inGemini({
        "a.md": agent("a", "color: red\nmcpServers: { s: { command: x } }\n"),
        "b.md": agent("b", "mcp_servers: { s: { command: x } }\n"),
      }),
    );
    const { agents, problems } = await world.list();
    const aside = agents.map(({ definition }) => definition.x["gemini"]);
    expect(aside).toEqual([
      { color: "red", mcpServers: { s: { command: "x" } } },
      { mcp_servers: { s: { command: "x" } } },
    ]);
    expect(problems).toEqual([]); // no news for everyday
    const { findings } = await world.cadre.call("agent.check", {});
    expect(findings.filter(({ kind }) => kind === "warning")).toEqual([
      { kind: "warning", source: ".gemini/agents/a.md", message: 'a: unknown key "color"' },
    ]);
  });

  test("4. a name in Title Case is an error that says what would do; lenient formats slug it; drafts and other files are ignored", async () => {
    await using world = await open({
      ...inGemini({ "title.md": agent("My Agent"), "_draft.md": agent("draft"), "notes.txt": agent("notes") }),
      ".claude/agents/claude.md": agent("Other Agent"),
    });
    const { names, problems } = await world.list();
    expect(names).toEqual(["other-agent"]);
    expect(problems).toMatchObject([{ message: expect.stringContaining("try my-agent") as string }]);
    await using empty = await open({});
    expect(await empty.list()).toEqual({ names: [], agents: [], problems: [] });
  });

  test("5. errors speak only of the kind that was meant", async () => {
    await using world = await open(
      inGemini({
        "far.md": "---\nname: far\nagent_card_url: https://agents.invalid/card\nmax_turns: x\n---\n",
        "near.md": "---\nname: near\nmax_turns: 3\n---\n",
      }),
    );
    const [far, near] = (await world.list()).problems.toSorted((a, b) => (a.source < b.source ? -1 : 1));
    expect(far?.message).toMatch(/^far: remote agents are not supported yet$/);
    expect(near?.message).not.toMatch(/remote|card/);
  });

  test("6. the project's hides the user's of that name, said once; a built-in may be hidden, and that is said too", async () => {
    await using world = await open(inGemini({ "scout.md": agent("scout"), "explore.md": agent("explore") }), [], {
      userFiles: inGemini({ "scout.md": agent("scout", "max_turns: 9\n") }),
    });
    const { agents, problems } = await world.list();
    const scouts = agents.filter(({ definition }) => definition.name === "scout");
    expect(scouts).toMatchObject([{ source: expect.stringContaining("/project/") as string }]);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/"scout" is hidden by/),
      expect.stringMatching(/"Explore" is hidden by "explore"/),
    ]);
  });

  test("7. a project's agent does not run before the folder is trusted, nor after a change of its rights that nobody has seen", async () => {
    const file = ".cadre/agents/scout.yml";
    const files = { [file]: "description: looks\ntools: [Read]\n" };
    await using world = await open(files, [], { trusted: [] });
    const start = () => world.cadre.start({ agent: "scout", prompt: "look" });
    await expect(start()).rejects.toMatchObject({ code: "agent.untrusted" });
    expect((await world.list()).agents).toMatchObject([{ trusted: false }]); // machine-readable
    await world.cadre.call("trust.grant", {});
    expect((await start()).status).toBe("pending");
    writeFileSync(join(world.project, file), "description: looks well\ntools: [Read]\n");
    expect((await start()).spec.definition.description).toBe("looks well");
    writeFileSync(
      join(world.project, file),
      "description: looks\npermission_mode: auto\nworkspace: { allow_writes: true }\n",
    );
    await expect(start()).rejects.toMatchObject({ code: "agent.untrusted" });
  });

  test("8. what is added, edited and deleted is seen at once", async () => {
    await using world = await open(inGemini({ "a.md": agent("a"), "b.md": agent("b") }));
    const at = (name: string) => join(world.project, ".gemini/agents", name);
    expect((await world.list()).names).toEqual(["a", "b"]);
    writeFileSync(at("c.md"), agent("c"));
    writeFileSync(at("b.md"), agent("b", "max_turns: 7\n"));
    rmSync(at("a.md"));
    const { names, agents } = await world.list();
    expect(names).toEqual(["b", "c"]);
    expect(agents[0]?.definition.max_turns).toBe(7);
  });

  test("9. (better) settings may change fields of an agent that was found, and keep the rest of it", async () => {
    await using world = await open({
      ...inGemini({ "scout.md": agent("scout", "temperature: 0.5\nmcp_servers: { s: { command: x } }\n") }),
      ".cadre/config.yml": "agents:\n  scout: { tools: [Read], max_turns: 4 }\n",
    });
    const { agents } = await world.list();
    expect(agents[0]?.definition).toMatchObject({
      tools: ["Read"],
      max_turns: 4,
      temperature: 0.5,
      x: { gemini: { mcp_servers: { s: { command: "x" } } } },
    });
  });

  test("9. disabled by the settings, it is absent from the list, still said to be there, and refused by name", async () => {
    await using world = await open({
      ...inGemini({ "scout.md": agent("scout"), "other.md": agent("other") }),
      ".cadre/config.yml": "agents:\n  scout: { enabled: false }\n  Explore: { enabled: false }\n",
    });
    const { names, problems } = await world.list();
    expect(names).toEqual(["other"]);
    expect(problems).toMatchObject([
      {
        message: expect.stringMatching(
          /^the agent "scout" is disabled by the project's settings \(.*config\.yml:2:3\)/,
        ),
      },
      { source: "built in", message: expect.stringMatching(/^the agent "Explore" is disabled by/) },
    ]);
    for (const name of ["scout", "explore"])
      await expect(world.cadre.start({ agent: name, prompt: "look" })).rejects.toMatchObject({
        code: "agent.disabled",
        message: expect.stringContaining("config.yml"),
      });
    expect((await world.cadre.start({ agent: "other", prompt: "look" })).status).toBe("pending");
    const wish = { name: "explore", description: "d", prompt: "p" };
    await expect(world.cadre.call("agent.create", wish)).rejects.toMatchObject({ code: "agent.disabled" });
  });

  test("9. nor is it delegated to: a caller is not told of it, and is refused if it asks", async () => {
    await using world = await open(
      {
        ".cadre/agents/boss.yml": "description: delegates\nprompt: Delegate.\ntools: [Task]\n",
        ".cadre/config.yml": "agents: { Explore: { enabled: false } }\n",
      },
      [{ parts: [{ call: "Task", input: { subagent_type: "Explore", prompt: "look" } }] }, say("done")],
      { userFiles: { ".cadre/config.yml": "security: { require_approval: { subagents: false } }\n" } },
    );
    expect((await world.cadre.run({ agent: "boss", prompt: "x" })).outcome).toMatchObject({ answer: "done" });
    const [first, second] = world.server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("codebase-investigator");
    expect(first).not.toContain("Explore");
    expect(second).toContain("is disabled by the project's settings");
  });

  test("9. what was started before goes on to its end", async () => {
    const report = { answer: "done", commands: [], sources: [] };
    await using world = await open({}, [{ parts: [{ call: "complete_task", input: { report } }] }]);
    const task = await world.cadre.start({ agent: "help", prompt: "x" });
    writeFileSync(join(world.home, "config.yml"), "agents: { help: { enabled: false } }\n");
    const line = FORMATS[0];
    if (line === undefined) throw new Error("there is no format");
    const env = { PATH: process.env["PATH"], ...line.env(world.server.url) };
    const userHome = join(world.project, "../user");
    const later = await openCadre({ home: world.home, userHome, cwd: world.project, env, trusted: [world.project] });
    await expect(later.start({ agent: "help", prompt: "x" })).rejects.toMatchObject({ code: "agent.disabled" });
    expect((await later.finish(task)).outcome).toMatchObject({ status: "completed", output: report });
    await later.close();
  });

  test("10. inherit follows the caller's model, an explicit one does not; (better) the temperature is really sent", async () => {
    await using world = await open(
      inGemini({
        "any.md": agent("any", "temperature: 0.25\n"),
        "own.md": agent("own", "model: openai-chat/gpt-4.1-mini\n"),
      }),
      [{ parts: [{ call: "complete_task", input: { result: "done" } }] }],
      {},
      "chat",
    );
    const model = "openai-chat/gpt-4.1";
    const own = await world.cadre.start({ agent: "own", prompt: "x", dispatch: "manual" });
    expect(own.spec.model).toBe("openai-chat/gpt-4.1-mini");
    const task = await world.cadre.run({ agent: "any", prompt: "x", model });
    expect(task.spec.model).toBe(model);
    expect(task.outcome).toMatchObject({ answer: "done" });
    expect(world.server.requests[0]?.body).toMatchObject({ temperature: 0.25 });
  });

  test("11. missing inputs are one error that names them all; (better) a ${X} that is no input stays as it is", async () => {
    const inputs = "inputs: { target: { required: true }, depth: { required: true, type: integer } }\n";
    await using world = await open(
      inGemini({
        "typed.md": agent("typed", inputs, "Look at ${target}, ${depth} deep, ${target} again, under ${HOME}."),
        "shell.md": agent("shell", "", "Run `echo ${HOME} $x {y} ${a.b}`."),
      }),
    );
    await expect(world.cadre.start({ agent: "typed", prompt: "x" })).rejects.toThrow(
      /"target" is missing; "depth" is missing/,
    );
    const typed = await world.cadre.start({ agent: "typed", prompt: "x", inputs: { target: "a ${depth}", depth: 2 } });
    expect(typed.spec.instructions).toBe("Look at a ${depth}, 2 deep, a ${depth} again, under ${HOME}.");
    const shell = await world.cadre.start({ agent: "shell", prompt: "x" });
    expect(shell.spec.instructions).toBe("Run `echo ${HOME} $x {y} ${a.b}`.");
  });

  test("29. a remote agent is refused by name: it is not supported yet, and nothing is sent anywhere", async () => {
    await using world = await open(
      inGemini({
        "far.md": "---\nkind: remote\nname: far\ndescription: d\nagent_card_url: http://127.0.0.1:9/card\n---\n",
      }),
      [say("never")],
    );
    await expect(world.cadre.start({ agent: "far", prompt: "x" })).rejects.toMatchObject({ code: "agent.not-found" });
    expect((await world.list()).problems).toMatchObject([{ message: "far: remote agents are not supported yet" }]);
  });
});
