import { readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codex } from "../../../src/backends/codex/codex.ts";
import { factsOf } from "../../engine/kit.ts";
import { transcript, withStub } from "./kit.ts";

const text = { says: transcript(codex, "text") };
const resumed = { says: transcript(codex, "resumed") };

describe("a session of a CLI", () => {
  it("is told in words what the CLI was not there for", async () => {
    await using world = await withStub(codex, [text, resumed]);
    const first = await world.engine.run({ agent: "worker", prompt: "the FIRST question" });
    const note = join(world.home, "sessions", `${first.spec.session}.home`, "codex.json");
    const known = JSON.parse(readFileSync(note, "utf8")) as { task: string };
    expect(known.task).toBe(first.id);
    writeFileSync(note, JSON.stringify({ ...known, task: "task_of_another_time" }));
    await world.engine.run({ agent: "worker", prompt: "the SECOND question", session: first.spec.session });
    const [, again] = world.started();
    expect(again?.args).not.toContain("resume");
    const heard = again?.heard.join("\n") ?? "";
    expect(heard).toContain("<previous_conversation>");
    expect(heard).toContain("forty-two");
    expect(heard).toContain("the SECOND question");
  });

  it("is told in words where the note is broken, and never follows a link", async () => {
    await using world = await withStub(codex, [text, resumed]);
    const first = await world.engine.run({ agent: "worker" });
    const folder = join(world.home, "sessions", `${first.spec.session}.home`);
    writeFileSync(join(folder, "codex.json"), "{");
    const target = join(world.project, "precious.toml");
    writeFileSync(target, "precious");
    unlinkSync(join(folder, "codex/.codex/config.toml"));
    symlinkSync(target, join(folder, "codex/.codex/config.toml"));
    const second = await world.engine.run({ agent: "worker", session: first.spec.session });
    expect(second.outcome).toMatchObject({ status: "completed" });
    expect(world.started()[1]?.args).not.toContain("resume");
    expect(readFileSync(target, "utf8")).toBe("precious");
    expect(readFileSync(join(folder, "codex/.codex/config.toml"), "utf8")).toContain("approval_policy");
  });

  it("goes on where it was when the same task is tried again, and says so", async () => {
    const dies = { says: transcript(codex, "stopped"), code: 1 };
    await using world = await withStub(codex, [dies, text], {
      agent: { retry: { attempts: 2, on: ["backend_error"] } },
    });
    const { outcome, attempts } = await world.engine.run({ agent: "worker", prompt: "the ONLY question" });
    expect(outcome).toMatchObject({ status: "completed", answer: "forty-two" });
    expect(attempts).toHaveLength(2);
    const [, again] = world.started();
    expect(again?.args).toContain("resume");
    expect(again?.heard.join("\n")).toMatch(/interrupted[\s\S]*the ONLY question/);
  });

  it("is told what was wrong with its output, once more in the same conversation", async () => {
    const schema = {
      type: "object",
      properties: { count: { type: "integer" } },
      required: ["count"],
      additionalProperties: false,
    };
    await using world = await withStub(codex, [text, { says: transcript(codex, "schema") }], {
      agent: { output: { schema }, max_tokens: 1_000 },
    });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", output: { count: 4 } });
    const [first, again] = world.started();
    expect(first?.args).toContain("--output-schema");
    expect(again?.args).toContain("resume");
    expect(again?.heard.join("\n")).toContain("Your answer was not accepted");
    expect(factsOf(await world.engine.log(id), "gate.checked").map(({ passed }) => passed)).toEqual([false, true]);
  });
});
