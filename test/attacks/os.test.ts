// The operating system alone: programs that ask nobody, of an agent that may do all that a definition can allow, in
// the mode that asks nothing. What is held here is held by the sandbox. The same again where the worker is not root.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { machines } from "../confinement/kit.ts";
import { ATTACKS, CANARY, play } from "./fixtures/os-attacks.ts";

const LIMIT = { timeout: 120_000 };
const NOBODY = "65534";
const SETPRIV = "setpriv";
const FIXTURE = fileURLToPath(new URL("fixtures/as-user.ts", import.meta.url));

const TITLES = ATTACKS.map(({ title }) => title);
/** Those that do no harm to a machine which holds nothing. */
const HARMLESS = TITLES.filter((title) => /^case (?:8|9|10|12|15):/.test(title));

const asNobody = (...command: readonly string[]) =>
  spawnSync(SETPRIV, ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--", ...command], {
    encoding: "utf8",
    timeout: 110_000,
    cwd: "/",
    env: { PATH: process.env["PATH"], ATTACK_CANARY: CANARY },
  });

describe.each(machines)("with no check of ours in the way, as $user", () => {
  test.each(TITLES)("%s", LIMIT, async (title) => {
    expect(await play(title)).toEqual({ ran: true, escaped: [] });
  });
});

test.each(HARMLESS)("switched off, nothing stops it: %s", LIMIT, async (title) => {
  const { ran, escaped } = await play(title, "off");
  expect(ran).toBe(true);
  expect(escaped).not.toEqual([]);
});

/** Only root can become somebody else, who must be able to read these files. */
const others = machines.filter(({ user }) => user === "root" && asNobody("test", "-r", FIXTURE).status === 0);

describe.each(others)("with no check of ours in the way, as a user without rights", () => {
  test("case 8, 9, 10, 11, 12, 14, 15, 25: nothing gets out", LIMIT, () => {
    const { stdout, stderr } = asNobody(process.execPath, FIXTURE);
    expect(stderr).toBe("");
    const held = Object.fromEntries(TITLES.map((title) => [title, { ran: true, escaped: [] }]));
    expect(JSON.parse(stdout)).toEqual(held);
  });
});
