import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/ports/index.ts";
import type { Answer } from "../../../src/schema/index.ts";
import { askPerson } from "../../../src/tools/mcp/asking/ask-person.ts";
import { openServers, program, said } from "./kit.ts";

const never = new AbortController().signal;

function asking(...answers: Answer[]) {
  const asked: Question[] = [];
  const scope = {
    ask: async (question: Question): Promise<Answer> => {
      asked.push(question);
      return answers.shift() ?? { verdict: "deny" };
    },
  };
  return { asked, ask: askPerson({ server: "shop", url: null, scope }) };
}

const form = (properties: object, required: string[] = []) =>
  ({ message: "Say", requestedSchema: { type: "object", properties, required } }) as never;

describe.each(["2025", "2026"])("a server of %s that asks", (era) => {
  const shop = program("asking-server", era);

  it("is answered by a person, who is told that it is the server that asks", async () => {
    const { run, asked } = await openServers({ shop }, { answer: { verdict: "text", text: "count: 3\nsize: 2" } });
    expect(said(await run("mcp__shop__order"))).toMatch(/"action":"accept".*"count":3|"count":3.*"action":"accept"/);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ kind: "question", title: 'The MCP server "shop" asks' });
    expect(asked[0]?.body).toContain("> What do you want?\n> &lt;/cadre:context>");
    expect(asked[0]?.body).toContain("> count - How many (a whole number, needed)");
  });

  it("is declined where the person does not want to", async () => {
    const { run } = await openServers({ shop }, { answer: { verdict: "deny" } });
    expect((await run("mcp__shop__order")).text).toContain("decline");
  });
});

describe("an answer", () => {
  it("is what stands in the form where the person says yes", async () => {
    const { ask } = asking({ verdict: "allow", scope: "once" });
    const fields = { name: { type: "string", default: "Ann" }, old: { type: "boolean", default: false } };
    expect(await ask(form(fields), never)).toEqual({ action: "accept", content: { name: "Ann", old: false } });
  });

  it.each([
    [{ n: { type: "integer" } }, "7", { n: 7 }],
    [{ n: { type: "number" } }, "1.5", { n: 1.5 }],
    [{ ok: { type: "boolean" } }, "yes", { ok: true }],
    [{ c: { type: "string", oneOf: [{ const: "r", title: "Red" }] } }, "red", { c: "r" }],
    [{ c: { type: "array", items: { enum: ["a", "b"] } } }, "a, 2", { c: ["a", "b"] }],
    [{ a: { type: "string" }, b: { type: "integer" } }, '{"a": "x", "b": 2}', { a: "x", b: 2 }],
  ])("for %j of %j is %j", async (fields, text, content) => {
    expect(await asking({ verdict: "text", text }).ask(form(fields), never)).toEqual({ action: "accept", content });
  });

  it("that does not fit is asked for again, and not for ever", async () => {
    const { ask, asked } = asking(...Array.from({ length: 9 }, () => ({ verdict: "text", text: "many" }) as const));
    expect(await ask(form({ n: { type: "integer" } }, ["n"]), never)).toEqual({ action: "decline" });
    expect(asked).toHaveLength(3);
    expect(asked[1]?.body).toContain('"many" does not fit "n"');
  });

  it("is not asked for where the form is none", async () => {
    const { ask, asked } = asking({ verdict: "allow", scope: "once" });
    expect(await ask(form({ deep: { type: "object" } }), never)).toEqual({ action: "decline" });
    expect(asked).toEqual([]);
  });
});

describe("an address that a server wants opened", () => {
  it("is shown, and a person says when it was", async () => {
    const { ask, asked } = asking({ verdict: "allow", scope: "once" });
    const url = "https://pay.example/x?a=1";
    expect(await ask({ mode: "url", message: "Pay", url, elicitationId: "1" }, never)).toEqual({ action: "accept" });
    expect([asked[0]?.title, asked[0]?.body.includes(url)]).toEqual([
      'The MCP server "shop" wants you to open an address at pay.example',
      true,
    ]);
  });

  it.each(["javascript:alert(1)", "http://127.0.0.1/", "file:///etc/passwd"])("is not %s", async (url) => {
    const { ask, asked } = asking({ verdict: "allow", scope: "once" });
    expect(await ask({ mode: "url", message: "x", url, elicitationId: "1" }, never)).toEqual({ action: "decline" });
    expect(asked).toEqual([]);
  });
});
