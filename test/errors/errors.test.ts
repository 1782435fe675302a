import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import * as errors from "../../src/errors/index.ts";
import { CadreError, type ErrorCode } from "../../src/errors/index.ts";

interface Row {
  /** The factories that give this code, each with what it was told. */
  readonly made: Readonly<Record<string, CadreError>>;
  /** What a reader must find in the message; for each factory, where there are several. */
  readonly says: readonly string[] | Readonly<Record<string, readonly string[]>>;
}

const isList = (says: Row["says"]): says is readonly string[] => Array.isArray(says);

const table: Readonly<Record<ErrorCode, Row>> = {
  "input.invalid": {
    made: { invalidInput: errors.invalidInput("the prompt is empty", { hint: "Say what to do." }) },
    says: ["the prompt is empty"],
  },
  "definition.invalid": {
    made: { invalidDefinition: errors.invalidDefinition("agents/a.yaml", "no name") },
    says: ["agents/a.yaml", "no name"],
  },
  "agent.not-found": { made: { agentNotFound: errors.agentNotFound("explor", "explore") }, says: ["explor"] },
  "agent.disabled": {
    made: { agentDisabled: errors.agentDisabled("explore", "the user's settings (config.yml:2:3)", "Enable it.") },
    says: ["explore", "config.yml:2:3"],
  },
  "agent.untrusted": {
    made: { agentUntrusted: errors.agentUntrusted("explore", "/srv/project") },
    says: ["explore", "/srv/project"],
  },
  "task.not-found": { made: { taskNotFound: errors.taskNotFound("oracle#4") }, says: ["oracle#4"] },
  "task.ambiguous": { made: { taskAmbiguous: errors.taskAmbiguous("01k", 3) }, says: ["01k", "3"] },
  "task.state": {
    made: { wrongTaskState: errors.wrongTaskState("task_one", "completed", "stopped") },
    says: ["task_one", "completed", "stopped"],
  },
  "session.not-found": { made: { sessionNotFound: errors.sessionNotFound("sess_one") }, says: ["sess_one"] },
  "session.busy": { made: { sessionBusy: errors.sessionBusy("sess_one", "task_one") }, says: ["sess_one", "task_one"] },
  "approval.not-found": { made: { approvalNotFound: errors.approvalNotFound("appr_one") }, says: ["appr_one"] },
  "approval.closed": {
    made: { approvalClosed: errors.approvalClosed("appr_one", "answered") },
    says: ["appr_one", "answered"],
  },
  "admission.refused": {
    made: { admissionRefused: errors.admissionRefused("depth", "agents may nest 3 deep") },
    says: ["agents may nest 3 deep"],
  },
  "authority.denied": {
    made: {
      authorityDenied: errors.authorityDenied("trust", "is for a person"),
      attemptUnproven: errors.attemptUnproven(),
      needsStore: errors.needsStore("cadre serve", "Do it elsewhere."),
    },
    says: {
      authorityDenied: ["trust", "is for a person"],
      attemptUnproven: ["inside an attempt", "token"],
      needsStore: ["cadre serve", "sandbox", "store"],
    },
  },
  "attempt.stale": { made: { staleAttempt: errors.staleAttempt("task_one", 2) }, says: ["task_one", "2"] },
  "backend.not-found": {
    made: { backendNotFound: errors.backendNotFound("claud", ["tape", "claude"]) },
    says: ["claud"],
  },
  "home.invalid": {
    made: { invalidHome: errors.invalidHome("/srv/cadre", "it is a file", "Name a folder.") },
    says: ["/srv/cadre", "it is a file"],
  },
  "store.unavailable": {
    made: {
      storeUnavailable: errors.storeUnavailable("/srv/cadre/log.db", "is of a newer version", "Use a newer Cadre."),
    },
    says: ["/srv/cadre/log.db", "is of a newer version"],
  },
  "workspace.failed": {
    made: {
      workspaceFailed: errors.workspaceFailed("/srv/p does not lie in a git repository", { hint: "Use a copy." }),
    },
    says: ["/srv/p", "git repository"],
  },
  "log.corrupt": {
    made: { corruptLog: errors.corruptLog("task_one was admitted twice") },
    says: ["task_one was admitted twice"],
  },
};
const rows = Object.entries(table).flatMap(([code, { made, says }]) =>
  Object.entries(made).map(([factory, error]) => ({ code, factory, error, says: isList(says) ? says : says[factory] })),
);

describe("every error that we throw on purpose", () => {
  it("has a row here", () => {
    const factories = Object.keys(errors).filter((name) => name !== "CadreError" && name !== "ERROR_CODES");
    expect(rows.map(({ factory }) => factory).toSorted()).toEqual(factories.toSorted());
  });

  it.each(rows)("$factory has the code $code and says what it is about", ({ error, code, says }) => {
    expect(CadreError.isInstance(error)).toBe(true);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("CadreError");
    expect(error.code).toBe(code);
    expect(error.message.trim()).not.toBe("");
    expect(says?.filter((text) => !error.message.includes(text))).toEqual([]);
    expect(inspect(error)).toContain(error.message);
  });

  it.each(rows)("$factory has facts that JSON holds, and a hint that is a sentence or none", ({ error }) => {
    expect(JSON.parse(JSON.stringify(error.facts))).toEqual(error.facts);
    const values = Object.values(error.facts);
    expect(values.filter((value) => value !== null && !["string", "number", "boolean"].includes(typeof value))).toEqual(
      [],
    );
    expect(error.hint === undefined || error.hint.trim() !== "").toBe(true);
  });
});

describe("the facts of an error", () => {
  it.each([
    [table["task.ambiguous"].made["taskAmbiguous"], { task: "01k", matches: 3 }],
    [table["attempt.stale"].made["staleAttempt"], { task: "task_one", attempt: 2 }],
    [table["task.state"].made["wrongTaskState"], { task: "task_one", status: "completed" }],
    [table["approval.closed"].made["approvalClosed"], { approval: "appr_one", how: "answered" }],
    [table["admission.refused"].made["admissionRefused"], { why: "depth" }],
    [table["log.corrupt"].made["corruptLog"], {}],
  ])("name what it is about", (error, facts) => {
    expect(error?.facts).toEqual(facts);
  });
});

describe("a hint", () => {
  it("names the agent that was meant, or where all are listed", () => {
    expect(errors.agentNotFound("explor", "explore").hint).toContain('"explore"');
    expect(errors.agentNotFound("banana", undefined).hint).toContain("cadre agents");
    expect(errors.agentNotFound("banana", undefined).hint).not.toContain("undefined");
  });

  it("lists the backends that there are", () => {
    expect(errors.backendNotFound("claud", ["tape", "claude"]).hint).toContain("tape, claude");
  });

  it("gives the command for this very task", () => {
    expect(errors.wrongTaskState("task_one", "completed", "stopped").hint).toContain("cadre show task_one");
    expect(errors.sessionBusy("sess_one", "task_one").hint).toContain("cadre stop task_one");
  });

  it("is the caller's, where the caller gives one", () => {
    const cause = new Error("underneath");
    const error = errors.invalidInput("too long", { hint: "Shorten it.", facts: { bytes: 9 }, cause });
    expect(error).toMatchObject({ hint: "Shorten it.", facts: { bytes: 9 }, cause });
    expect(errors.invalidInput("too long")).toMatchObject({ hint: undefined, facts: {} });
  });
});

describe("an error of another copy of the package", () => {
  it("is known by its brand, in both directions", async () => {
    vi.resetModules();
    const other = await import("../../src/errors/index.ts");
    const foreign = other.corruptLog("read by another copy");
    expect(other.CadreError).not.toBe(CadreError);
    expect(foreign instanceof CadreError).toBe(false);
    expect(CadreError.isInstance(foreign)).toBe(true);
    expect(other.CadreError.isInstance(errors.corruptLog("read by us"))).toBe(true);
  });

  it.each([
    ["a plain error", new Error("no")],
    ["an error that only has the name", Object.assign(new Error("no"), { name: "CadreError", code: "log.corrupt" })],
    ["an object that only looks alike", { name: "CadreError", code: "log.corrupt", message: "no", facts: {} }],
    ["text", "log.corrupt"],
    ["a number", 1],
    ["null", null],
    ["undefined", undefined],
  ])("is not %s", (_, value) => {
    expect(CadreError.isInstance(value)).toBe(false);
  });
});
