import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { CadreError } from "../../src/errors/index.ts";
import {
  call,
  type Caller,
  MOUTHS,
  type OperationName,
  OPERATIONS,
  operationsFor,
} from "../../src/operations/index.ts";
import { memoryStore, registryOf, startEngine } from "../../src/testing/index.ts";
import { contextOf } from "./kit.ts";
import { freshFolder } from "../fresh-folder.ts";

const NAMES = Object.keys(OPERATIONS) as OperationName[];
const PERSONAL = NAMES.filter((name) => OPERATIONS[name].authority === "person");

/** Whatever an operation needs: authority is looked at before input, so nothing here has to be valid. */
const ANYTHING = {} as never;

async function outcome(
  name: OperationName,
  as: Partial<Caller>,
  input: object = ANYTHING,
): Promise<"denied" | "heard"> {
  await using engine = await startEngine({ registry: registryOf() });
  try {
    await call(name, input as never, contextOf(engine, { askable: "nobody", ...as }));
    return "heard";
  } catch (error) {
    if (!CadreError.isInstance(error)) throw error;
    return error.code === "authority.denied" ? "denied" : "heard";
  }
}

test("answering approvals and trust are a person's; everything else is for agents too", () => {
  expect(PERSONAL.toSorted()).toEqual([
    "agent.export",
    "agent.import",
    "approval.answer",
    "config.set",
    "host.connect",
    "host.disconnect",
    "host.list",
    "login.begin",
    "login.finish",
    "login.forget",
    "memory.accept",
    "memory.forget",
    "session.prune",
    "tool.run",
    "trust.grant",
    "trust.list",
    "trust.revoke",
    "workspace.discard",
    "workspace.merge",
  ]);
});

describe.each(NAMES)("%s", (name) => {
  const forAgents = OPERATIONS[name].authority === "person" ? "denied" : "heard";

  test("is heard from a person", async () => {
    expect(await outcome(name, {})).toBe("heard");
  });

  test("is heard from an agent only if it is for agents", async () => {
    expect(await outcome(name, { authority: "agent" })).toBe(forAgents);
  });

  test("is heard from inside an attempt only if it is for agents, whoever the caller claims to be", async () => {
    await using engine = await startEngine({
      registry: registryOf({ name: "a", description: "d", tape: [{ hang: true }] }),
    });
    const inside = await engine.start({ agent: "a" });
    expect(await outcome(name, { inside })).toBe(forAgents);
  });

  test("says in one sentence what it does", () => {
    expect(OPERATIONS[name].summary).toMatch(/^[A-Z].*\.$/);
  });
});

describe("what only looks is heard from anybody:", () => {
  test.each([
    ["agent.import", { dry: true }, "heard"],
    ["agent.import", { dry: true, file: "/etc/hosts" }, "denied"],
    ["agent.import", { dry: false }, "denied"],
    ["agent.export", { to: "claude", out: null }, "heard"],
    ["agent.export", { to: "claude", out: "x", dry: true }, "heard"],
    ["agent.export", { to: "claude" }, "denied"],
    ["workspace.merge", { task: "task_x", dry: true }, "heard"],
    ["workspace.merge", { task: "task_x" }, "denied"],
  ] as const)("%s %j is %s", async (name, input, expected) => {
    expect(await outcome(name, { authority: "agent" }, input)).toBe(expected);
  });
});

describe("every mouth offers exactly what its callers may ask:", () => {
  const allowed = (mouth: keyof typeof MOUTHS) =>
    NAMES.filter((name) => (MOUTHS[mouth] as readonly string[]).includes(OPERATIONS[name].authority));

  test.each(Object.keys(MOUTHS) as (keyof typeof MOUTHS)[])("%s", (mouth) => {
    expect(operationsFor(mouth)).toEqual(allowed(mouth));
  });

  test("the command line, by its commands", async () => {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    const offered = new Set(commands.flatMap(({ command }) => command.operations));
    expect([...offered].toSorted()).toEqual(allowed("cli").toSorted());
  });

  test("the library, by calling each", async () => {
    const userHome = freshFolder("home");
    await using cadre = await openCadre({ cwd: userHome, userHome, env: {}, store: memoryStore({ now: () => 0 }) });
    const codes = await Promise.all(
      allowed("library").map((name) =>
        cadre.call(name, ANYTHING).then(
          () => "heard",
          (error: { code?: string }) => error.code,
        ),
      ),
    );
    expect(codes).not.toContain("authority.denied");
    expect(codes.filter((code) => code !== "heard" && code !== "input.invalid")).toEqual([]);
  });
});
