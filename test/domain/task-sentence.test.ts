import { describe, expect, it } from "vitest";
import { askedOf, taskSentence } from "../../src/domain/task-sentence.ts";
import { sampleDefinition, samplePolicy, sampleSpec } from "./samples.ts";

const own = {
  plan: "/p/.cadre/plans/t_plan.md",
  folder: "/p/.cadre/workspace",
  scopes: [".cadre/plans/t_plan.md", ".cadre/workspace"],
};
const closed = samplePolicy({ modes: ["default"], fs: { read: ["."], write: [...own.scopes] } });

describe("a task as its agent is told it", () => {
  it("says where the plan is, and the only folder to write to where there is no other", () => {
    expect(taskSentence(sampleSpec({ prompt: "Write it", policy: closed }), own)).toBe(
      "Task: Write it. Your plan file is at .cadre/plans/t_plan.md. All file I/O must be within the '.cadre/workspace/' directory.",
    );
  });

  it("says nothing of that folder to an agent that may write elsewhere", () => {
    const policy = samplePolicy({ modes: ["default"], fs: { read: ["."], write: ["src", ...own.scopes] } });
    expect(taskSentence(sampleSpec({ prompt: "Mend it!", policy }), own)).toBe(
      "Task: Mend it! Your plan file is at .cadre/plans/t_plan.md.",
    );
  });

  it("names places whole to an agent that works in a folder of the project", () => {
    const workspace = { mode: "shared", path: "web", allow_writes: true } as const;
    expect(taskSentence(sampleSpec({ prompt: "Go.", policy: closed, workspace }), own)).toContain(
      "Your plan file is at /p/.cadre/plans/t_plan.md. All file I/O must be within the '/p/.cadre/workspace/' directory.",
    );
  });

  it("is just what is asked, to an agent that only reads", () => {
    expect(taskSentence(sampleSpec({ prompt: "Look", policy: samplePolicy({ modes: ["plan"] }) }), own)).toBe("Look");
  });

  it("is the agent's own words with the inputs filled in, where it has any", () => {
    const definition = sampleDefinition({ query: "Look in ${where}.", inputs: [{ name: "where", type: "string" }] });
    expect(askedOf(sampleSpec({ definition, inputs: { where: "src" }, prompt: "x" }))).toBe("Look in src.");
  });
});
