import { describe, expect, test } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { EXIT, EXIT_FOR_ERROR, EXIT_FOR_STATUS } from "../../src/cli/exit-codes.ts";
import { readAgentMarkdown } from "../../src/definitions/own-format/read-agent.ts";
import { decideCall } from "../../src/domain/decide-call.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/limits.ts";
import { BASELINE } from "../../src/domain/policy.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import {
  AgentDefinition,
  ControlEvent,
  Effect,
  InboxEvent,
  NOT_YET,
  PermissionMode,
  SessionEvent,
  TapeStep,
  TaskEvent,
} from "../../src/schema/index.ts";
import { blocksOf, codeIn, documents, proseOf, read, tableOf, tablesOf } from "./documents.ts";

const loaded: readonly { command: Command }[] = await Promise.all(Object.values(COMMANDS).map((load) => load()));
const commands = loaded.map(({ command }) => command).filter(({ hidden }) => hidden !== true);
const sorted = (words: readonly string[]): string[] => words.toSorted();
const firsts = (rows: readonly string[][]): string[] => rows.flatMap(([cell = ""]) => codeIn(cell));

describe("docs/reference/command-line.md", () => {
  const path = "docs/reference/command-line.md";
  const sections = new Map(
    proseOf(path)
      .split("\n## ")
      .map((text) => [text.split("\n")[0] ?? "", text]),
  );

  test("has a section for every command there is, and for no other", () => {
    const written = [...sections.keys()].filter((heading) => heading.startsWith("`cadre "));
    expect(sorted(written)).toEqual(sorted(commands.map(({ usage }) => `\`cadre ${usage}\``)));
  });

  test.each(commands.map((command) => [command.usage, command] as const))(
    "%s: has all of its options",
    (usage, command) => {
      const section = sections.get(`\`cadre ${usage}\``) ?? "";
      const written = codeIn(section).filter((code) => /^(-\w, )?--\w/.test(code));
      expect(sorted([...new Set(written)].filter((code) => code !== "--json"))).toEqual(
        sorted(Object.keys(command.options ?? {})),
      );
    },
  );

  test("is the same list as the README's", () => {
    const readme = firsts(tableOf("README.md", "Command", "What it does"));
    expect(sorted(readme)).toEqual(sorted(commands.map(({ usage }) => `cadre ${usage}`)));
  });
});

describe("commands in the documents", () => {
  const lines = documents.flatMap((path) =>
    blocksOf(path)
      .filter(({ language }) => language === "sh")
      .flatMap(({ text }) => text.split("\n"))
      .filter((line) => line.startsWith("cadre "))
      .map((line) => [line, path] as const),
  );

  test.each(lines)("`%s` in %s is a command with options that it has", (line) => {
    const name = line.split(" ")[1] ?? "";
    const command = commands.find(({ usage }) => usage.split(" ")[0] === name);
    expect(command, `cadre ${name}`).toBeDefined();
    const known = Object.keys(command?.options ?? {}).flatMap((flag) => flag.split(/[ ,]+/));
    const used = line.split(" ").filter((word) => word.startsWith("-"));
    expect(used.filter((flag) => ![...known, "--json", "--home", "--help"].includes(flag))).toEqual([]);
  });
});

describe("docs/reference/exit-codes.md", () => {
  const path = "docs/reference/exit-codes.md";

  test("has every exit code with its name", () => {
    const rows = tableOf(path, "Code", "Name", "Meaning").map(([code, name = ""]) => [...codeIn(name), Number(code)]);
    expect(Object.fromEntries(rows)).toEqual(EXIT);
  });

  test("has the code of every status and of every error", () => {
    const pairs = (rows: readonly string[][]) =>
      Object.fromEntries(rows.map(([name = "", code]) => [...codeIn(name), Number(code)]));
    expect(pairs(tableOf(path, "Status", "Code"))).toEqual(EXIT_FOR_STATUS);
    expect(pairs(tableOf(path, "Error", "Code", "Meaning"))).toEqual(EXIT_FOR_ERROR);
  });
});

describe("docs/reference/events.md", () => {
  const unions = { task: TaskEvent, control: ControlEvent, session: SessionEvent, inbox: InboxEvent };
  const rows = tableOf("docs/reference/events.md", "Type", "Stream", "Fields", "Meaning");

  test("has every event there is, in its stream, with its fields", () => {
    const events = Object.entries(unions).flatMap(([stream, union]) =>
      union.options.map(({ shape }) => {
        const { type, ...fields } = shape;
        return `${type.value} in ${stream}: ${sorted(Object.keys(fields)).join(" ")}`;
      }),
    );
    const written = rows.map(
      ([type = "", stream = "", fields = ""]) =>
        `${codeIn(type).join()} in ${codeIn(stream).join()}: ${sorted(codeIn(fields)).join(" ")}`,
    );
    expect(sorted(written)).toEqual(sorted(events));
  });
});

describe("docs/reference/agent-files.md", () => {
  const path = "docs/reference/agent-files.md";

  test("has every field, and no other", () => {
    const [head, ...fields] = tablesOf(path)[0] ?? [];
    expect(head).toEqual(["Field", "Default", "Meaning"]);
    expect(sorted(firsts(fields))).toEqual(sorted(Object.keys(AgentDefinition.shape)));
  });

  test("has every field that is known and not supported yet", () => {
    const section = read(path).split("## Known, and not supported yet")[1] ?? "";
    expect(sorted(codeIn(section.split("\n\n")[1] ?? ""))).toEqual(sorted(NOT_YET));
  });

  test("has the permission modes as they are decided", () => {
    const effects = Effect.options.filter((effect) => effect !== "none");
    const decided = PermissionMode.options.map((mode) => [
      `\`${mode}\``,
      ...effects.map(
        (effect) => decideCall({ ...BASELINE, modes: [mode], network: true }, { tool: "any", effect }).verdict,
      ),
    ]);
    expect(tableOf(path, "Mode", ...effects)).toEqual(decided);
  });

  const examples = documents.flatMap(blocksOf).filter(({ language }) => language === "markdown");

  test.each(examples.map(({ path: from, text }) => [from, text] as const))("agents in %s can be read", (_, text) => {
    expect(readAgentMarkdown(text, "example.md")).toMatchObject({ ok: true });
  });
});

test("docs/reference/tapes.md has every step there is", () => {
  const steps = tableOf("docs/reference/tapes.md", "Step", "What it does").map(
    ([step = ""]) => /^`(\w+):/.exec(step)?.[1],
  );
  expect(steps).toEqual(TapeStep.options.map(({ shape }) => Object.keys(shape)[0]));
});

const settingIn = (text: string): unknown =>
  text === "none" ? null : /^(\d+|true|false)$/.test(text) ? JSON.parse(text) : text;

describe("docs/reference/library.md", () => {
  const path = "docs/reference/library.md";

  test("has every operation with its authority", () => {
    const written = tableOf(path, "Operation", "Authority", "What it does").map(([name = "", authority]) => [
      ...codeIn(name),
      authority,
    ]);
    expect(written).toEqual(Object.entries(OPERATIONS).map(([name, { authority }]) => [name, authority]));
  });

  test("has every setting with its default", () => {
    const rows = tableOf(path, "Setting", "Default", "Meaning");
    expect(Object.fromEntries(rows.map(([name = "", value = ""]) => [...codeIn(name), settingIn(value)]))).toEqual(
      DEFAULT_SETTINGS,
    );
  });
});
