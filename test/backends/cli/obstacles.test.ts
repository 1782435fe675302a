import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/backends/claude/claude.ts";
import { codex } from "../../../src/backends/codex/codex.ts";
import { gemini } from "../../../src/backends/gemini/gemini.ts";
import { compareVersions } from "../../../src/backends/cli/find-cli.ts";
import { PATH, temporaryFolder } from "../../custody/kit.ts";
import { type Definition, factsOf } from "../../engine/kit.ts";
import { KEY_VALUE, type StubOptions, type StubWorld, transcript, withStub } from "./kit.ts";

const says = (cli: typeof claude) => ({ says: transcript(cli, "text"), isDialogue: cli === claude });

describe.each([claude, codex, gemini])("$name is not started", (cli) => {
  const refusal = async (more: StubOptions) => {
    await using world = await withStub(cli, [says(cli)], more);
    const error: unknown = await world.engine.start({ agent: "worker" }).then(
      () => new Error("it was admitted"),
      (reason: unknown) => reason,
    );
    expect(world.started()).toEqual([]);
    return error;
  };

  it("where it is not installed", async () => {
    const error = await refusal({ options: { env: { PATH: temporaryFolder() } } });
    expect(error).toMatchObject({ code: "admission.refused", hint: cli.help.install });
    expect(String(error)).toContain(`${cli.name} is not installed`);
  });

  it("where it is too old, or does not say how old it is", async () => {
    const old = await refusal({ version: "0.1.2" });
    expect(old).toMatchObject({ message: `${cli.name} is 0.1.2, and Cadre needs ${cli.tested} or newer` });
    const bin = temporaryFolder();
    writeFileSync(join(bin, cli.program), "#!/bin/sh\necho none of your business\n");
    chmodSync(join(bin, cli.program), 0o755);
    const env = { PATH: `${bin}:${PATH}`, [cli.keys[0] ?? ""]: KEY_VALUE };
    expect(String(await refusal({ options: { env } }))).toContain("does not say its version");
  });

  it("without a key or a login, and the names of the variables are said", async () => {
    const userHome = temporaryFolder();
    mkdirSync(join(userHome, ".config"));
    const bin = temporaryFolder();
    writeFileSync(join(bin, "package.json"), JSON.stringify({ name: cli.package, version: cli.tested }));
    writeFileSync(join(bin, cli.program), "#!/bin/sh\n");
    chmodSync(join(bin, cli.program), 0o755);
    const error = await refusal({ options: { userHome, env: { PATH: `${bin}:${PATH}`, [cli.keys[0] ?? ""]: "" } } });
    expect(error).toMatchObject({ message: `${cli.name} is not logged in, and no key is set` });
    expect(JSON.stringify(error)).toContain(cli.keys[0]);
  });

  it("for a model of another provider, and for exits where none can be given", async () => {
    expect(String(await refusal({ agent: { model: "mistral/large" } }))).toContain(
      `${cli.name} has no model "mistral/large"`,
    );
    const completion = { exits: ["message_user" as const] };
    const exits = { agent: { completion }, options: { ownTools: undefined } };
    expect(String(await refusal(exits))).toContain("exits");
  });
});

describe("a budget in money", () => {
  it("needs a price, where the CLI counts tokens only", async () => {
    const agent = { budget_usd: 1, model: "openai/gpt-5.5" };
    await using unpriced = await withStub(codex, [says(codex)], { agent });
    await expect(unpriced.engine.start({ agent: "worker" })).rejects.toThrow("price");
    const priceOf = async (
      _model: string,
      { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number },
    ) => inputTokens * 10 + outputTokens * 100;
    await using priced = await withStub(codex, [says(codex)], { agent, options: { priceOf } });
    const { id } = await priced.engine.run({ agent: "worker" });
    expect(factsOf(await priced.engine.log(id), "budget.settled").at(-1)?.spent).toEqual({ microUsd: 810, tokens: 18 });
  });

  it("is not known where nobody limits it and no price is known", async () => {
    await using world = await withStub(codex, [says(codex)], { agent: { max_tokens: 1_000 } });
    const task = await world.engine.run({ agent: "worker" });
    expect(task).toMatchObject({ spent: { microUsd: 0, tokens: 18 }, isCostKnown: false });
  });

  it("is what claude says that it spent", async () => {
    await using world = await withStub(claude, [says(claude)], { agent: { budget_usd: 1 } });
    const { id } = await world.engine.run({ agent: "worker" });
    const { microUsd = 0 } = factsOf(await world.engine.log(id), "budget.settled").at(-1)?.spent ?? {};
    expect(microUsd).toBeGreaterThan(0);
    expect(microUsd).toBeLessThan(1_000);
    expect(world.started()[0]?.args.join(" ")).toContain("--max-budget-usd 1");
  });

  const most = (world: Pick<StubWorld, "started">) =>
    world
      .started()
      .map(({ args }) => (args.includes("--max-budget-usd") ? args[args.indexOf("--max-budget-usd") + 1] : null));

  const costing = (usd: number) => {
    const { says: lines, ...play } = says(claude);
    return { ...play, says: lines.map((line) => line.replace(/"total_cost_usd":[^,]+/, `"total_cost_usd":${usd}`)) };
  };

  it("is no more than all above it have left, and claude is told so each time", async () => {
    const dear = costing(0.1);
    await using world = await withStub(claude, [dear], { agent: { budget_usd: 1 } });
    await world.engine.run({ agent: "lead", limits: { budgetUsd: 0.25 } });
    expect(most(world)).toEqual(["0.25", "0.15"]);
    await using unlimited = await withStub(claude, [dear]);
    await unlimited.engine.run({ agent: "lead" });
    expect(most(unlimited)).toEqual([null, null]);
  });

  it("is what the whole conversation may come to, of one that claude goes on with", async () => {
    const dear = costing(0.1);
    await using world = await withStub(claude, [dear], { agent: { budget_usd: 1 } });
    const { spec } = await world.engine.run({ agent: "worker" });
    await world.engine.run({ agent: "worker", session: spec.session });
    expect(most(world)).toEqual(["1", "1.1"]);
  });

  it("is not begun with again where a first start has used it up", async () => {
    const dear = costing(2);
    const agent: Partial<Definition> = { budget_usd: 1, completion: { exits: ["complete_task"], nudges: 2 } };
    await using world = await withStub(claude, [dear], { agent });
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "budget" });
    expect(most(world)).toEqual(["1"]);
  });
});

it("names the variable of its key, so that only a worker that has it takes the task", async () => {
  await using world = await withStub(codex, [says(codex)]);
  const { spec } = await world.engine.start({ agent: "worker" });
  const backend = world.engine.engine.parts.backends.get("codex");
  expect(await backend?.secrets?.names()).toEqual(codex.keys);
  expect(await backend?.secrets?.neededBy(spec)).toEqual(["CODEX_API_KEY"]);
});

it("says that a newer version was not tried", async () => {
  await using world = await withStub(codex, [says(codex)], { version: "99.0.0" });
  const { id, outcome } = await world.engine.run({ agent: "worker" });
  expect(outcome).toMatchObject({ status: "completed" });
  expect(factsOf(await world.engine.log(id), "note.taken")).toMatchObject([
    { text: "codex is 99.0.0; Cadre was tried with 0.166.0" },
  ]);
});

it("compares versions by their numbers", () => {
  expect(compareVersions("2.1.9", "2.1.325")).toBeLessThan(0);
  expect(compareVersions("2.10.0", "2.9.9")).toBeGreaterThan(0);
  expect(compareVersions("0.61.0", "0.61.0")).toBe(0);
});
