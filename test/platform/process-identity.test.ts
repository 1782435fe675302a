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

  const others: [who: string, change: Partial<ProcessIdentity>, verdict: "alive" | "dead" | "unknown"][] = [
    ["this very process", {}, "alive"],
    ["one with this pid that started at another time", { startTime: "1" }, "dead"],
    ["one with a pid that nobody has", { pid: 2 ** 30 }, "dead"],
    ["one from before the machine was started", { bootId: "another" }, "dead"],
    ["one on another machine", { host: "another" }, "unknown"],
    ["one on another machine that has been started since", { host: "another", bootId: "another" }, "unknown"],
    ["one in another container", { pidNamespace: "pid:[1]" }, "unknown"],
  ];

  test.each(others)("%s is %3$s", async (_, change, verdict) => {
    expect(await checkIdentity({ ...(await ownIdentity()), ...change })).toBe(verdict);
  });
});
