import { symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { KEY_NAMES } from "../../src/config/keys.ts";
import { variableOf } from "../../src/config/read-environment.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/limits.ts";
import { BASELINE } from "../../src/domain/policy.ts";
import { files } from "./files.ts";

const CONCURRENT = "subagents.max_concurrent";

describe("without a word from anybody", () => {
  test("the defaults hold, and say so", async () => {
    const config = await loadConfig(files({}));
    expect(config.settings).toEqual(DEFAULT_SETTINGS);
    expect(config.baseline).toEqual({ ...BASELINE, spawn: "ask" });
    expect(config.personWithoutTerminal).toBe(false);
    expect(config.warnings).toEqual([]);
    expect(new Set(Object.values(config.sources).map(({ source }) => source))).toEqual(new Set(["default"]));
  });

  test("a file of nothing but comments, and one with an empty group, say nothing either", async () => {
    const config = await loadConfig(files({ user: "# subagents:\n", project: "subagents:\n  # max_concurrent: 3\n" }));
    expect(config.settings).toEqual(DEFAULT_SETTINGS);
  });

  test("outside of any project the user's file is read once, as the user's", async () => {
    const { userHome, env } = files({ user: "subagents: { max_concurrent: 30 }\n" });
    const { sources, warnings } = await loadConfig({ userHome, env, home: `${userHome}/.cadre` });
    expect(sources[CONCURRENT]).toMatchObject({ value: 30, source: "user" });
    expect(warnings).toEqual([]);
  });
});

describe("precedence", () => {
  const layers = [
    { env: "4", user: 3, project: 2, holds: 4, source: "environment" },
    { env: "", user: 3, project: 2, holds: 3, source: "user" },
    { env: "", user: undefined, project: 2, holds: 2, source: "project" },
    { env: "", user: undefined, project: undefined, holds: 10, source: "default" },
  ];
  test.each(layers)("$source: $holds", async ({ env, user, project, holds, source }) => {
    const yaml = (value: number | undefined) => (value === undefined ? "" : `subagents:\n  max_concurrent: ${value}\n`);
    const place = files({ user: yaml(user), project: yaml(project), env: { CADRE_SUBAGENTS_MAX_CONCURRENT: env } });
    const { settings, sources } = await loadConfig(place);
    expect(settings.maxConcurrent).toBe(holds);
    expect(sources[CONCURRENT].source).toBe(source);
  });

  test("each value says where it stands", async () => {
    const place = files({
      user: "subagents:\n  timeout_ms: 5\n",
      project: "\nsecurity:\n  subagent_permissions:\n    max_runtime_mins: 2.5\n",
      env: { CADRE_SECURITY_SUBAGENT_PERMISSIONS_NETWORK: "api.example.org, *.example.com" },
    });
    const { sources, settings, baseline } = await loadConfig(place);
    expect(sources["subagents.timeout_ms"].where).toBe(`${place.userFile}:2:3`);
    expect(sources["security.subagent_permissions.max_runtime_mins"].where).toBe(`${place.projectFile}:4:5`);
    expect(sources["security.subagent_permissions.network"].where).toBe("CADRE_SECURITY_SUBAGENT_PERMISSIONS_NETWORK");
    expect(settings).toMatchObject({ timeoutMs: 5, maxRuntimeMins: 2.5 });
    expect(baseline.network).toEqual(["api.example.org", "*.example.com"]);
  });
});

describe("a user may widen", () => {
  test("numbers, files, network and variables", async () => {
    const user = `subagents: { max_concurrent: 50, max_output_kb: 900, rate_limit_per_min: 99 }
security:
  person_without_terminal: true
  subagent_permissions:
    fs: { read: [., /usr/share], write: [] }
    network: true
    env: { allow: [PATH, TOKEN] }
    max_runtime_mins: 90
`;
    const config = await loadConfig(files({ user }));
    expect(config.settings).toEqual({
      ...DEFAULT_SETTINGS,
      maxConcurrent: 50,
      maxOutputKb: 900,
      rateLimitPerMin: 99,
      maxRuntimeMins: 90,
    });
    expect(config.baseline).toEqual({
      ...BASELINE,
      fs: { read: [".", "/usr/share"], write: [] },
      network: true,
      env: { allow: ["PATH", "TOKEN"] },
      spawn: "ask",
    });
    expect(config.personWithoutTerminal).toBe(true);
    expect(config.warnings).toEqual([]);
  });

  test("what a person is asked about", async () => {
    const user = "security: { require_approval: { subagents: false, tools: false } }\npermissions: { allow: [Edit] }\n";
    const { baseline } = await loadConfig(files({ user }));
    expect(baseline).toMatchObject({ spawn: "allow", grants: ["Edit", "*"] });
  });

  test("what agents have that say nothing, but for variables and for what is set by itself", async () => {
    const user = "security: { subagent_permissions: { mode: inherit, fs: { write: [out] } } }\n";
    const { baseline, settings } = await loadConfig(files({ user }));
    expect(settings.inherits).toBe(true);
    expect(baseline).toMatchObject({
      fs: { read: [".", "/"], write: ["out"] },
      network: true,
      env: { allow: BASELINE.env.allow },
    });
  });
});

describe("a project may only tighten:", () => {
  const settle = async (project: string) => {
    const place = files({ project });
    const { warnings, ...config } = await loadConfig(place);
    return { ...config, warnings: warnings.map((warning) => warning.replace(place.projectFile, "config.yml")) };
  };

  test("a smaller number holds, a larger one is ignored and said", async () => {
    const { settings, warnings } = await settle("subagents:\n  max_concurrent: 3\n  rate_limit_per_min: 21\n");
    expect(settings).toMatchObject({ maxConcurrent: 3, rateLimitPerMin: 20 });
    expect(warnings).toEqual([
      'config.yml:3:3: "subagents.rate_limit_per_min" may only be tightened here: 21 was asked for, 20 is used',
    ]);
  });

  test.each([
    ["[src, ./docs]", ["src", "docs"], 0],
    ["[src, /etc, ../other]", ["src"], 1],
    ["[/etc]", [], 1],
    ["[.]", ["."], 0],
    ["[]", [], 0],
  ])("reading %s becomes %j", async (list, read, count) => {
    const { baseline, warnings } = await settle(`security: { subagent_permissions: { fs: { read: ${list} } } }\n`);
    expect(baseline.fs.read).toEqual(read);
    expect(warnings).toHaveLength(count);
  });

  test("a network and variables that nobody else allows are left out", async () => {
    const { baseline, warnings } = await settle(
      "security: { subagent_permissions: { network: [evil.example], env: { allow: [PATH, SECRET] } } }\n",
    );
    expect(baseline).toMatchObject({ network: false, env: { allow: ["PATH"] } });
    expect(warnings).toHaveLength(2);
  });

  test("and is not heard at all where the user has spoken", async () => {
    const place = files({
      user: "subagents: { max_concurrent: 50 }\n",
      project: "subagents: { max_concurrent: 20 }\n",
    });
    expect(await loadConfig(place)).toMatchObject({ settings: { maxConcurrent: 50 }, warnings: [] });
  });

  test("what is not a project's to say: of what stays, what the user has said is told", async () => {
    const place = files({
      user: "models: { default: opus }\n",
      project: "models: { default: sonnet, aliases: { a: b } }\n",
    });
    const { settings, warnings } = await loadConfig(place);
    expect(settings.defaultModel).toBe("opus");
    expect(warnings.map((text) => text.slice(text.indexOf('"')))).toEqual([
      '"models.default" does not count in a project\'s file; "opus" stays',
      '"models.aliases" counts only in the user\'s own file; {} stays',
    ]);
  });

  test("who counts as a person is not a project's to say, nor a variable's", async () => {
    const place = files({
      project: "security: { person_without_terminal: true }\n",
      env: { CADRE_SECURITY_PERSON_WITHOUT_TERMINAL: "true" },
    });
    const { personWithoutTerminal, warnings } = await loadConfig(place);
    expect(personWithoutTerminal).toBe(false);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("counts only in the user's own file");
  });
});

test("inside an attempt nothing widens: files and variables may be the agent's own", async () => {
  const place = files({
    user: "security: { person_without_terminal: true, subagent_permissions: { network: true } }\n",
    env: { CADRE_ATTEMPT: "task_x", CADRE_SUBAGENTS_MAX_CONCURRENT: "99", CADRE_SUBAGENTS_TIMEOUT_MS: "5" },
  });
  const { settings, baseline, personWithoutTerminal } = await loadConfig(place);
  expect(settings).toMatchObject({ maxConcurrent: 10, timeoutMs: 5 });
  expect(baseline.network).toBe(false);
  expect(personWithoutTerminal).toBe(false);
});

describe("what is wrong is refused with its place:", () => {
  const complaint = async (text: string): Promise<string> => {
    const place = files({ user: text });
    const error = await loadConfig(place).then(
      () => null,
      (thrown: { code: string; message: string }) => thrown,
    );
    expect(error).toMatchObject({ code: "definition.invalid" });
    return error?.message.replace(place.userFile, "config.yml") ?? "";
  };

  test.each([
    ["subagents:\n  max_concurent: 3\n", 'config.yml:2:3: unknown key "max_concurent"; did you mean "max_concurrent"?'],
    ["sub_agents: {}\n", 'config.yml:1:1: unknown key "sub_agents"; did you mean "subagents"?'],
    ["timeout_ms: 3\n", 'config.yml:1:1: unknown key "timeout_ms"; did you mean "subagents.timeout_ms"?'],
    ["colour: red\n", 'config.yml:1:1: unknown key "colour"'],
    ["subagents: 3\n", 'config.yml:1:1: "subagents" is a group of settings: write them below it'],
    ["- a\n", "config.yml:1:1: a configuration is a map of settings"],
    [
      "subagents:\n  timeout_ms: soon\n",
      'config.yml:2:3: "subagents.timeout_ms" must be a whole number above 0, not "soon"',
    ],
    ["subagents:\n  timeout_ms:\n", 'config.yml:2:3: "subagents.timeout_ms" must be a whole number above 0, not null'],
    [
      "subagents: { max_concurrent: 0 }\n",
      'config.yml:1:14: "subagents.max_concurrent" must be a whole number above 0, not 0',
    ],
    ["subagents: {}\nsubagents: {}\n", 'config.yml:2:1: "subagents" stands here twice'],
    [
      "security:\n  subagent_permissions:\n    network: yes\n",
      'config.yml:3:5: "security.subagent_permissions.network" must be true, false or a list of hosts, not "yes"',
    ],
    ["a: [\n", "config.yml:2:1: "],
  ])("%j", async (text, says) => {
    expect(await complaint(text)).toContain(says);
  });

  test("the first of several is shown, and how many more there are", async () => {
    expect(await complaint("a: 1\nb: 2\nc: 3\n")).toContain('config.yml:1:1: unknown key "a" (and 2 more)');
  });

  test.each([
    ["CADRE_SUBAGENTS_MAX_CONCURENT", "3", "there is no such setting; did you mean CADRE_SUBAGENTS_MAX_CONCURRENT?"],
    ["CADRE_SUBAGENTS_MAX_CONCURRENT", "many", '"subagents.max_concurrent" must be a whole number above 0, not "many"'],
    ["CADRE_SESSIONS_EXPIRY_DAYS", "0", '"sessions.expiry_days" must be a whole number above 0, not "0"'],
  ])("%s=%s", async (name, value, says) => {
    await expect(loadConfig(files({ env: { [name]: value } }))).rejects.toMatchObject({
      message: `${name}: ${says}`,
    });
  });

  test("every setting has a variable of its own, and other variables of Cadre are none of them", async () => {
    const names = KEY_NAMES.map(variableOf);
    expect(new Set(names).size).toBe(names.length);
    const { warnings } = await loadConfig(files({ env: { CADRE_HOME: "x", CADRE_TOKEN: "y", PATH: "/bin" } }));
    expect(warnings).toEqual([]);
  });
});

describe("a project's file is not believed:", () => {
  test("a link is refused", async () => {
    const place = files({ user: "" });
    symlinkSync(place.userFile, place.projectFile);
    await expect(loadConfig(place)).rejects.toMatchObject({ message: expect.stringContaining("is a link") });
  });

  test("a user's own may be one", async () => {
    const place = files({});
    writeFileSync(`${place.home}/elsewhere.yml`, "subagents: { max_concurrent: 7 }\n");
    symlinkSync(`${place.home}/elsewhere.yml`, place.userFile);
    expect((await loadConfig(place)).settings.maxConcurrent).toBe(7);
  });

  test.each([
    ["too large", `# ${"x".repeat(40_000)}\n`],
    ["nested without end", "[".repeat(30_000)],
    ["a bomb of aliases", `a: &a [x]\nb: &b [${"*a, ".repeat(9)}]\n`],
    ["of ten thousand keys", Array.from({ length: 3000 }, (_, index) => `k${index}: 1`).join("\n")],
  ])("one that is %s is refused quickly", async (_name, text) => {
    await expect(loadConfig(files({ project: text }))).rejects.toMatchObject({ code: "definition.invalid" });
  });
});
