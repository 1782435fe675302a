import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { asNobody, canBeRunByNobody, NOBODY } from "../as-nobody.ts";
import { foundLandlock } from "./kit.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/as-user.ts", import.meta.url));

const isPossible =
  foundLandlock.kind === "parts" &&
  foundLandlock.parts.tools.uid === 0 &&
  foundLandlock.parts.tools.namespaces !== undefined &&
  canBeRunByNobody(FIXTURE);

describe.runIf(isPossible)("Landlock for a worker that is not root", () => {
  it("holds files, protected ones too, and closes the network", { timeout: 60_000 }, () => {
    const { stdout, stderr } = asNobody(process.execPath, FIXTURE);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      commands: "os",
      said: [String(NOBODY), "3"],
      config: "whole",
      inside: [".git", "in"],
      outside: ["project", "secret"],
    });
  });
});
