import { describe, expect, it } from "vitest";
import { decideCall } from "../../src/domain/decide-call.ts";
import { BASELINE, policyOf } from "../../src/domain/policy.ts";
import { type AgentDefinition, Policy } from "../../src/schema/index.ts";
import { sampleDefinition, samplePolicy } from "./samples.ts";

describe("an agent that says nothing about what it may do", () => {
  const policy = policyOf(sampleDefinition(), BASELINE);

  it("reads the project, writes nothing, has no network and is asked about the rest", () => {
    expect(policy).toEqual({
      mode: "default",
      tools: [],
      fs: { read: ["."], write: [] },
      network: false,
      env: { allow: ["PATH", "HOME", "LANG"] },
    });
  });

  it("cannot write even if its mode would let it", () => {
    const bold = policyOf(sampleDefinition({ permission_mode: "auto" }), BASELINE);
    expect(decideCall(bold, { tool: "Write", effect: "write", path: "a.ts" }).verdict).toBe("deny");
  });

  it("takes reading, network and environment from a wider baseline, and still writes nothing", () => {
    const wide = samplePolicy({
      fs: { read: [".", "/srv/shared"], write: ["."] },
      network: true,
      env: { allow: ["CI"] },
    });
    expect(policyOf(sampleDefinition(), wide)).toMatchObject({
      fs: { read: [".", "/srv/shared"], write: [] },
      network: true,
      env: { allow: ["CI"] },
    });
  });
});

describe("what an agent says about files, network and environment", () => {
  it("is taken as it stands", () => {
    const definition = sampleDefinition({
      permission_mode: "acceptEdits",
      policy: { fs: { read: ["src"], write: ["src/out"] }, network: ["example.com"], env: { allow: ["CI"] } },
    });
    expect(policyOf(definition, BASELINE)).toMatchObject({
      mode: "acceptEdits",
      fs: { read: ["src"], write: ["src/out"] },
      network: ["example.com"],
      env: { allow: ["CI"] },
    });
  });

  it("opens the project for writing by the workspace, unless it names the places", () => {
    const workspace = { allow_writes: true };
    expect(policyOf(sampleDefinition({ workspace }), BASELINE).fs.write).toEqual(["."]);
    const named = sampleDefinition({ workspace, policy: { fs: { write: ["docs"] } } });
    expect(policyOf(named, BASELINE).fs.write).toEqual(["docs"]);
  });
});

describe("what an agent says about tools", () => {
  type Tools = AgentDefinition["tools"];
  const all = ["Read", "Bash", "Write"];
  const table: readonly (readonly [string, Tools, readonly string[]])[] = [
    ["a list", ["Read", "Bash"], ["Read", "Bash"]],
    ["an empty list", [], []],
    ["a star", ["*"], all],
    ["a star among others", ["Read", "*"], all],
    ["an allowlist", { mode: "allowlist", allow: ["Read", "Bash"], deny: ["Bash"] }, ["Read"]],
    ["a denylist", { mode: "denylist", allow: [], deny: ["Bash"] }, ["Read", "Write"]],
    ["nothing", undefined, all],
  ];

  it.each(table)("as %s lets it use just those", (_, tools, usable) => {
    const policy = { ...samplePolicy(), tools: policyOf(sampleDefinition({ tools }), BASELINE).tools };
    const allowed = all.filter((tool) => decideCall(policy, { tool, effect: "none" }).verdict === "allow");
    expect(allowed).toEqual(usable);
  });

  it("is named by the agent in a refusal", () => {
    const policy = policyOf(sampleDefinition({ tools: ["Read"] }), BASELINE);
    expect(decideCall(policy, { tool: "Bash", effect: "none" }).rule).toBe(
      "agent Explore: Bash is not among its tools",
    );
  });
});

describe("the baseline", () => {
  it("is a valid policy without network", () => {
    expect(Policy.parse(BASELINE)).toEqual(BASELINE);
    expect(decideCall(BASELINE, { tool: "Fetch", effect: "net", host: "example.com" }).verdict).toBe("deny");
  });
});
