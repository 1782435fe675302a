// What a task on another agent's program has cost, in tokens: of all calls of its model, and not of the last one only.
import { describe, expect, it } from "vitest";
import { factsOf } from "../engine/kit.ts";
import { ROWS, runOn } from "./every-backend.ts";

/** Said by a peer of its last call alone, and not seen on the way to its model, because it has its key itself. */
const LAST_ONLY: readonly string[] = ["opencode"];

describe.each(ROWS.filter(({ backend }) => backend !== "native"))("tokens on $backend", ({ backend, ...row }) => {
  it("are counted over two calls of its model", async () => {
    const look = { calls: [row.attacks("made.txt")[2] ?? { name: "none", args: {} }] };
    const agent = { permission_mode: "auto", workspace: { allow_writes: true }, max_tokens: 50_000 } as const;
    const { log } = await runOn({ backend, ...row }, () => [look, { text: "fine" }], agent);
    const { tokens = 0 } = factsOf(log, "budget.settled").at(-1)?.spent ?? {};
    expect(tokens % 18).toBe(0);
    expect(tokens).toBeGreaterThanOrEqual(LAST_ONLY.includes(backend) ? 18 : 36);
    expect(tokens).toBeLessThan(200);
  });
});
