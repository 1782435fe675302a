// Callers of operations, with an engine and nothing else: what is not given is not there.
import { CadreError } from "../../src/errors/index.ts";
import type { Caller, OperationContext } from "../../src/operations/index.ts";
import type { TestEngine } from "../../src/testing/index.ts";

const nothing = () => Promise.reject(new CadreError("input.invalid", "nothing of that kind is here"));

const callerOf = (change: Partial<Caller> = {}): Caller => ({
  mouth: "test",
  authority: "person",
  by: "tester",
  inside: null,
  askable: "inbox",
  ...change,
});

export function contextOf(
  { engine }: TestEngine,
  caller: Partial<Caller>,
  change: Partial<OperationContext> = {},
): OperationContext {
  return {
    engine,
    trust: {
      isTrusted: async () => false,
      grant: async () => {},
      revoke: async () => {},
      list: async () => [],
      pinsOf: async () => [],
      pin: async () => {},
    },
    config: { list: async () => ({ settings: [], warnings: [] }), get: nothing, set: nothing },
    caller: callerOf(caller),
    conversion: nothing,
    hosts: nothing,
    logins: nothing,
    memory: async () => ({
      list: async () => [],
      search: async () => [],
      ids: async () => [],
      add: nothing,
      accept: nothing,
      forget: nothing,
      relevant: nothing,
    }),
    tools: async () => ({
      list: async () => ({ tools: [], problems: [] }),
      run: nothing,
      create: nothing,
      write: nothing,
    }),
    work: nothing,
    project: "/p",
    signal: new AbortController().signal,
    ...change,
  };
}
