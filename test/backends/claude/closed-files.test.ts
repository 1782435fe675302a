import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { closedFiles } from "../../../src/backends/claude/closed-files.ts";
import { BASELINE } from "../../../src/domain/policy.ts";
import type { Attempt } from "../../../src/ports/index.ts";
import { temporaryFolder } from "../../custody/kit.ts";

/** To an attempt that may not read `.env`, in this folder of a project of this name. */
function closedIn(name: string, tree: string) {
  const outside = realpathSync(temporaryFolder());
  const project = join(outside, name);
  const home = join(project, ".cadre");
  const root = join(project, tree);
  mkdirSync(root, { recursive: true });
  const tools = [{ from: "agent", allow: null, ask: [], deny: ["Read(.env)"] }];
  const attempt = {
    task: { spec: { policy: { ...BASELINE, tools }, workspace: { mode: "shared" } } },
    workspace: { root },
    homes: [join(outside, name, "state")],
    own: { folder: join(home, "workspace"), plan: join(home, "plans", "one.md") },
  } as unknown as Attempt;
  return { outside, ...closedFiles(attempt, project) };
}

it("what Cadre keeps is closed by its name in every home, but where the attempt's own plan or tree lies", () => {
  const { rules } = closedIn("plain", ".cadre/worktrees/one");
  for (const name of ["tasks", "sessions", "cadre.db*"]) expect(rules).toContain(`Read(//**/.cadre/${name})`);
  for (const name of ["plans", "worktrees"]) expect(rules).not.toContain(`Read(//**/.cadre/${name})`);
});

it.each([
  ["jürgen", "j*rgen"],
  ["ju\u0308rgen", "j*rgen"],
  ["a😀b", "a*b"],
  ["日本 (x)", "* ?x?"],
])("in a project called %j, too, what is closed is left out", (name, pattern) => {
  const { outside, rules, leavesOut } = closedIn(name, ".");
  for (const path of ["**/.env", "state/tasks", "state/cadre.db*", ".cadre/tasks"])
    expect(rules).toContain(`Read(/${outside}/${pattern}/${path})`);
  expect(leavesOut("Grep")).toBe(true);
});
