import { expect, test } from "vitest";
import { missingAgent } from "../../src/domain/missing-agent.ts";

const listing = (...sources: string[]) => ({
  agents: [],
  problems: sources.map((source) => ({ source, message: "is wrong" })),
});

test.each([
  [".cadre/agents/my-agent.md:4:12", true],
  ["/srv/project/.github/agents/My_Agent.agent.md", true],
  ["my-agent", true],
  [".cadre/agents/my-agents.md", false],
  [".cadre/agents/my-agent/other.md:1:1", false],
  [".cadre/agents", false],
])("of the name my-agent, %s is told: %j", (source, isTold) => {
  const { hint = "" } = missingAgent("my-agent", listing("elsewhere.md", source));
  expect(hint === `Its file has a mistake: ${source}: is wrong`).toBe(isTold);
  expect(hint.includes("cadre agents")).toBe(!isTold);
});
