import { expect, test } from "vitest";
import type { LivePart } from "../../src/schema/index.ts";
import { factsOf, withWorker } from "./kit.ts";

const KEY = "sk-very-secret-0123456789";
const credentials = { known: () => [["ANTHROPIC_API_KEY", KEY] as const] };

test("a known secret reaches neither the log nor what is shown, and an attempt's own token is one", async () => {
  const shown: LivePart[] = [];
  let token = "";
  await using engine = await withWorker(
    [
      async (attempt, scope) => {
        token = attempt.token;
        for (const piece of ["the key is sk-very-", "secret-0123456789, the token ", token, "."])
          scope.live({ type: "text-delta", text: piece });
        await scope.append({ type: "message.said", text: `key ${KEY}, token ${token}` });
        const { call } = await scope.permit({ tool: "Read", effect: "read", path: "a", input: { path: KEY } });
        await scope.append({ type: "tool.returned", call, ok: true, output: KEY, truncated: false });
        return { kind: "answered", answer: `it is ${KEY}`, output: { key: KEY } };
      },
    ],
    { credentials, live: { write: (_task, part) => void shown.push(part) } },
  );
  const task = await engine.run({ agent: "worker" });
  const log = await engine.log(task.id);
  expect(JSON.stringify(log)).not.toContain(KEY);
  expect(JSON.stringify(log)).not.toContain(token);
  expect(factsOf(log, "message.said")).toMatchObject([
    { text: "key {{secret:ANTHROPIC_API_KEY}}, token {{secret:CADRE_TOKEN}}" },
  ]);
  expect(task.outcome).toMatchObject({
    answer: "it is {{secret:ANTHROPIC_API_KEY}}",
    output: { key: "{{secret:ANTHROPIC_API_KEY}}" },
  });
  expect(shown.map(({ text }) => text).join("")).toBe(
    "the key is {{secret:ANTHROPIC_API_KEY}}, the token {{secret:CADRE_TOKEN}}.",
  );
});

test("a secret in the output of a call that comes in pieces is found, whatever else is said in between", async () => {
  const shown: LivePart[] = [];
  let atReturn = "";
  await using engine = await withWorker(
    [
      async (_attempt, scope) => {
        const ask = (path: string) => scope.permit({ tool: "Read", effect: "read", path, input: {} });
        const [one, other] = [await ask("a"), await ask("b")];
        const say = (call: string, text: string) => scope.live({ type: "output-delta", call, text });
        say(one.call, `one ${KEY.slice(0, 9)}`);
        say(other.call, `other ${KEY.slice(0, 12)}`);
        await scope.append({ type: "note.taken", level: "info", text: "meanwhile" });
        say(one.call, `${KEY.slice(9)} end, sk-very`);
        await scope.append({ type: "tool.returned", call: one.call, ok: true, output: "", truncated: false });
        atReturn = shown.map(({ text }) => text).join("");
        say(other.call, `${KEY.slice(12)} end`);
        return { kind: "answered", answer: "done" };
      },
    ],
    { credentials, live: { write: (_task, part) => void shown.push(part) } },
  );
  await engine.run({ agent: "worker" });
  expect(atReturn).toContain(" end, sk-very"); // nothing more of that call comes
  const texts = Map.groupBy(shown, (part) => (part.type === "output-delta" ? part.call : part.type));
  expect([...texts.values()].map((parts) => parts.map(({ text }) => text).join(""))).toEqual([
    "one {{secret:ANTHROPIC_API_KEY}} end, sk-very",
    "other {{secret:ANTHROPIC_API_KEY}} end",
  ]);
});
