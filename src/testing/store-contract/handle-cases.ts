import assert from "node:assert/strict";
import { storeCase } from "./contract-case.ts";
import { reserve, running, settle, someReservation } from "./given.ts";

const tokens = (count: number) => ({ microUsd: 0, tokens: count });

export const handleCases = [
  storeCase("what one handle has seen hides nothing that another has written", async ({ store, another }) => {
    const other = await another();
    const limits = { timeoutMs: 1, maxTurns: 1, maxOutputKb: 1, budget: { microUsd: null, tokens: 100 } };
    const hold = await running(store, { limits });
    const [first, second] = [someReservation(), someReservation()];
    assert.equal((await reserve(store, hold, first, tokens(60)))?.kind, "reserved");
    assert.equal((await reserve(other, hold, second, tokens(60)))?.kind, "short");
    await settle(other, hold, first, tokens(10));
    assert.equal((await reserve(store, hold, second, tokens(90)))?.kind, "reserved");
    await settle(other, hold, second, tokens(90));
    assert.deepEqual(await reserve(store, hold, someReservation(), tokens(1)), {
      kind: "short",
      unit: "tokens",
      left: 0,
      isBusy: false,
    });
  }),

  storeCase("two handles that write by turns number and read one log", async ({ store, another }) => {
    const other = await another();
    const hold = await running(store);
    const session = (await store.task(hold.task))?.spec.session;
    assert.ok(session !== undefined);
    const handles = [store, other, other, store, store, other];
    for (const [index, via] of handles.entries()) {
      const message = { role: "assistant", content: `word ${index}`, task: hold.task } as const;
      await via.append(hold, [
        { type: "message.said", text: `word ${index}` },
        { type: "message.kept", session, message },
      ]);
      for (const reading of [store, other]) {
        const view = await reading.session(session);
        assert.equal(view?.messages.length, index + 2, "what a session holds is seen by both, beside the prompt");
        assert.equal((await reading.task(hold.task))?.lastSaid, `word ${index}`);
      }
    }
    const [mine, theirs] = [await store.read({ after: 0, limit: 100 }), await other.read({ after: 0, limit: 100 })];
    assert.deepEqual(mine, theirs);
    assert.equal(await store.head(), mine.at(-1)?.position);
    assert.equal(await other.head(), mine.at(-1)?.position);
    for (const stream of new Set(mine.map((envelope) => envelope.stream))) {
      const own = mine.filter((envelope) => envelope.stream === stream);
      assert.deepEqual(
        own.map(({ seq }) => seq),
        own.map((_, index) => index + 1),
        "no number of a stream is given twice, or left out",
      );
      assert.deepEqual(await store.read({ stream, after: 0, limit: 100 }), own);
    }
  }),
];
