import { describe, expect, test } from "vitest";
import { checkIdentity, ownIdentity, type ProcessIdentity } from "../../src/platform/process-identity.ts";

describe.runIf(process.platform === "linux")("who a process is", () => {
  test("this process knows itself, and always the same", async () => {
    const own = await ownIdentity();
    expect(own.pid).toBe(process.pid);
    expect(Object.values(own)).not.toContain("unknown");
    expect(own.startTime).toMatch(/^[0-9]+$/);
    expect(await ownIdentity()).toEqual(own);
  });

  const others: [who: string, verdict: "alive" | "dead" | "unknown", change: Partial<ProcessIdentity>][] = [
    ["this very process", "alive", {}],
    ["one with this pid that started at another time", "dead", { startTime: "1" }],
    ["one with a pid that nobody has", "dead", { pid: 2 ** 30 }],
    ["one from before the machine was started", "dead", { bootId: "another" }],
    ["one on another machine", "unknown", { host: "another" }],
    ["one on another machine that has been started since", "unknown", { host: "another", bootId: "another" }],
    ["one in another container", "unknown", { pidNamespace: "pid:[1]" }],
  ];

  test.each(others)("%s is %s", async (_, verdict, change) => {
    expect(await checkIdentity({ ...(await ownIdentity()), ...change })).toBe(verdict);
  });
});
