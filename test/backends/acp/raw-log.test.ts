// A peer that says what it should not, in every way that it has: none of it is in the file of what it really said.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withPeer } from "./kit.ts";
import type { Step } from "./stub-agent.ts";

const CANARY = "sk-canary-of-the-user-0123456789";
const NAME = "PEER_API_KEY";

const call = (update: object): Step => ({ update: { sessionUpdate: "tool_call", toolCallId: "t1", ...update } });

it("does not keep a secret of the user's in the raw log, whole, in pieces, in calls or as no protocol at all", async () => {
  const steps: Step[] = [
    { tell: "environment" },
    { think: `I was given ${CANARY}` },
    ...["it is ", CANARY.slice(0, 9), CANARY.slice(9, 20), CANARY.slice(20), "!"].map((say): Step => ({ say })),
    call({ title: `curl -H ${CANARY}`, kind: "execute", rawInput: { command: `echo ${CANARY}` } }),
    call({ title: "look", kind: "read", status: "completed", content: [{ deep: [{ er: CANARY }] }] }),
    { raw: `no JSON, but ${CANARY}` },
    { call: "fs/read_text_file", params: { path: `/nowhere/${CANARY}` } },
    { say: "done" },
  ];
  const agent = { permission_mode: "plan" as const, policy: { env: { allow: [NAME] } } };
  await using world = await withPeer(
    { prompts: [steps] },
    {
      agent,
      options: { lookup: (name) => (name === NAME ? CANARY : process.env[name]) },
      engine: { credentials: { known: () => [[NAME, CANARY]] } },
    },
  );
  const { id, outcome } = await world.engine.run({ agent: "peer" });
  const file = join(world.home, "logs", `${id}.raw.jsonl`);
  const raw = readFileSync(file, "utf8");
  // It really was given it, and really said it all: in each of these places stands its name instead.
  const kept = raw.split("\n").filter((line) => line.includes(`{{secret:${NAME}}}`));
  for (const sign of ["CADRE_HOME", "I was given", "it is", "curl -H", '"deep"', "no JSON, but", "/nowhere/"])
    expect(
      kept.some((line) => line.includes(sign)),
      sign,
    ).toBe(true);
  expect(raw).not.toContain(CANARY);
  // What the peer is to say stands in its definition, here: all that came of it is looked at.
  const [_admitted, ...log] = await world.engine.log(id);
  expect(JSON.stringify([outcome, log])).not.toContain(CANARY);
  expect(statSync(file).mode & 0o077).toBe(0);
});
