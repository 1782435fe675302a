// Which families of tools an attempt opens: those that its policy could allow, and no others.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BASELINE, policyOf } from "../../src/domain/policy.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { Attempt, AttemptScope, Memory, Tool, Toolbox } from "../../src/ports/index.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { fakeMint } from "../../src/testing/index.ts";
import { builtInTools } from "../../src/tools/built-in-tools.ts";

async function opened(wish: Partial<AgentDefinition>, others: readonly Toolbox[] = []) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cadre-built-in-")));
  let looks = 0;
  const registry = {
    list: async () => {
      looks++;
      return { agents: [], problems: [] };
    },
    find: async () => undefined,
  };
  const definition = AgentDefinition.parse({ name: "agent", description: "does things", ...wish });
  const spec = { definition, policy: policyOf(definition, BASELINE), workspace: definition.workspace };
  const own = { plan: join(root, "plan.md"), folder: join(root, "own"), scopes: [] };
  const attempt = { task: { spec }, workspace: { root }, own } as unknown as Attempt;
  const scope = { signal: new AbortController().signal } as AttemptScope;
  const box = builtInTools(
    {
      clock: systemClock,
      mint: fakeMint(),
      memory: {} as Memory,
      registry,
      home: root,
      ripgrep: undefined,
      credentials: { value: async () => undefined },
      layers: [],
      trust: { isTrusted: async () => true, pinsOf: async () => null },
    },
    others,
  );
  await using folder = new AsyncDisposableStack();
  folder.defer(() => rmSync(root, { recursive: true }));
  const set = folder.use(await box(attempt, scope));
  return { names: set.tools.map(({ name }) => name), tools: set.tools, looks, agentsFound: set.agentsFound };
}

const ALL =
  "Read Write Edit Glob Grep List TodoWrite Bash TaskOutput TaskStop WebFetch WebSearch HttpRequest MemorySearch MemoryAdd AskUser".split(
    " ",
  );

describe("the built-in tools", () => {
  test("all are there for an agent that may use any", async () => {
    const { names } = await opened({ permission_mode: "auto", policy: { network: true } });
    expect(names).toEqual(ALL.filter((name) => !name.startsWith("Memory")));
  });

  test.each([[undefined], [["*"]], [{ mode: "denylist" as const, allow: [], ask: [], deny: ["Bash"] }]])(
    "memory is not given by %j: only where it is listed",
    async (tools) => {
      const without = await opened({ permission_mode: "auto", tools });
      expect(without.names.filter((name) => name.startsWith("Memory"))).toEqual([]);
      const { names } = await opened({ permission_mode: "auto", tools: ["*", "MemoryAdd"] });
      expect(names).toContain("MemoryAdd");
    },
  );

  test.each(ALL.filter((name) => name !== "TaskOutput" && name !== "TaskStop"))(
    "%s is there for an agent that may use it alone",
    async (name) => {
      const { names } = await opened({ permission_mode: "auto", tools: [name], policy: { network: true } });
      expect(names).toContain(name);
    },
  );

  test("for an agent that may only delegate there is no shell, and it is said which agents there are", async () => {
    const { names, agentsFound } = await opened({ capabilities: ["orchestrator"], tools: ["Task(worker)"] });
    expect(names).toEqual(["Task", "TaskOutput", "TaskStop"]);
    expect(agentsFound).toEqual([]);
  });

  test("what no call of the agent could use is not opened, and nobody looks for agents", async () => {
    const { names, looks } = await opened({ tools: ["WebFetch"], policy: { network: true } });
    expect(names).toEqual(["WebFetch", "WebSearch", "HttpRequest"]);
    expect(looks).toBe(0);
  });

  test("a tool of somebody else's never has the name of one of ours, opened or not", async () => {
    const foreign = (name: string): Tool => ({
      name,
      description: "not ours",
      effect: "none",
      inputSchema: { type: "object" },
      plan: () => ({ ok: true, use: { effect: "none" } }),
      run: async () => ({ ok: true, text: "" }),
    });
    const box: Toolbox = async () => ({
      tools: ["Write", "TaskOutput", "Look"].map(foreign),
      [Symbol.asyncDispose]: async () => undefined,
    });
    const { names } = await opened({ tools: ["Look"] }, [box]);
    expect(names).toEqual(["Look"]);
  });
});
