import { describe, expect, test } from "vitest";
import { listSources } from "../../scripts/source-graph.ts";
import { MOUTHS, OPERATIONS } from "../../src/operations/index.ts";
import {
  Answer,
  ApprovalId,
  ApprovalState,
  CallId,
  Capability,
  Dispatch,
  Effect,
  Evidence,
  FailReason,
  InboxItemId,
  LivePart,
  Outcome,
  PermissionMode,
  ReservationId,
  SessionId,
  StreamName,
  TaskId,
  TaskStatus,
  WorkerId,
  WorkspaceBinding,
} from "../../src/schema/index.ts";
import { codeIn, documents, proseOf, read, tableOf } from "./documents.ts";

const path = "docs/glossary.md";
const words = tableOf(path, "word", "is", "is not");
const isOf = new Map(words.map(([word = "", is = ""]) => [word, is]));

describe("the glossary", () => {
  test("has every word once, in order, with what it is and what it is not", () => {
    const names = words.map(([word = ""]) => word);
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(words.filter((cells) => cells.length !== 3 || cells.includes(""))).toEqual([]);
  });

  const wanted = [
    ..."agent task attempt session turn event stream position backend tool effect policy rule workspace".split(" "),
    ..."confinement approval answer breadcrumb inbox worker hold slot reservation budget gate evidence".split(" "),
    ..."outcome reason tape operation authority mouth host home project trust".split(" "),
    "permission mode",
    "live part",
  ];

  test("has the words of the project", () => {
    expect(wanted.filter((word) => !isOf.has(word))).toEqual([]);
  });

  test("has only words that the code uses too", () => {
    const code = listSources("src")
      .map((file) => read(`src/${file}`).toLowerCase())
      .join("\n");
    const spellings = (word: string) => [
      word,
      word.replaceAll(" ", ""),
      word.replaceAll(" ", "-"),
      word.replaceAll(" ", "_"),
    ];
    expect([...isOf.keys()].filter((word) => !spellings(word).some((one) => code.includes(one)))).toEqual([]);
  });
});

describe("a word with a closed list has the list of the code:", () => {
  const streams = ["task", "control", "session", "inbox"].filter((kind) => StreamName.safeParse(`${kind}:x`).success);
  const lists: [word: string, list: readonly string[]][] = [
    ["answer", Answer.options.map(({ shape }) => shape.verdict.value)],
    ["approval", ApprovalState.options],
    ["authority", [...new Set(Object.values(OPERATIONS).map(({ authority }) => authority))]],
    ["capability", Capability.options],
    ["dispatch", Dispatch.options],
    ["effect", Effect.options],
    ["evidence", Evidence.options],
    ["live part", LivePart.options.map(({ shape }) => shape.type.value)],
    ["mouth", Object.keys(MOUTHS)],
    ["outcome", Outcome.options.map(({ shape }) => shape.status.value)],
    ["permission mode", PermissionMode.options],
    ["reason", FailReason.options],
    ["status", TaskStatus.options],
    ["stream", streams.map((kind) => `${kind}:<id>`)],
    ["workspace", WorkspaceBinding.shape.mode.unwrap().options],
  ];

  test.each(lists)("%s", (word, list) => {
    expect(codeIn(isOf.get(word) ?? "").toSorted()).toEqual(list.toSorted());
  });
});

describe("ids", () => {
  const schemas = { TaskId, SessionId, ApprovalId, WorkerId, ReservationId, CallId, InboxItemId };
  const rows = tableOf(path, "prefix", "names");
  const prefixes = rows.flatMap(([prefix = ""]) => codeIn(prefix));

  test("have the prefixes that the glossary says, and no others", () => {
    const inCode = [...read("src/schema/id.ts").matchAll(/= id\("(\w+)"\)/g)].map(([, prefix]) => `${prefix}_`);
    expect(prefixes.toSorted()).toEqual(inCode.toSorted());
    expect(inCode).toHaveLength(Object.keys(schemas).length);
  });

  test.each(prefixes)("with %s are accepted by one schema only", (prefix) => {
    expect(Object.values(schemas).filter((schema) => schema.safeParse(`${prefix}01k`).success)).toHaveLength(1);
  });

  test("in the documents have one of these prefixes", () => {
    const ids = documents.flatMap((file) =>
      [...proseOf(file).matchAll(/\b([a-z]{4}_)(?=[0-9]|…)/g)].map(([, id]) => id),
    );
    expect(ids.filter((id) => id !== undefined && !prefixes.includes(id))).toEqual([]);
  });
});

describe("words that are not used", () => {
  const rows = tableOf(path, "not", "but");
  const avoided = rows.flatMap(([not = ""]) => not.replaceAll(/\(.*?\)/g, "").split(",")).map((word) => word.trim());
  // `run` is a verb and a command everywhere; only a reader can tell the noun.
  const checked = avoided.filter((word) => word !== "run" && word !== "profile");

  test.each(documents.filter((file) => file !== path))("%s uses none of them", (file) => {
    const prose = proseOf(file).replaceAll(/`[^`]*`/g, "");
    expect(checked.filter((word) => new RegExp(`\\b${word}s?\\b`, "i").test(prose))).toEqual([]);
  });
});
