// Some tests need programs of the machine and are left out, or run a weaker tier, where those are not there. On
// a contributor's machine that is said; on CI it is a failure, so that nothing is left out unseen.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { openNamespace } from "../../src/confinement/egress/open-namespace.ts";
import { thisMachine } from "../../src/confinement/bubblewrap/sandbox-machine.ts";
import { thisLandlock } from "../../src/confinement/landlock/landlock-machine.ts";
import { installedLaunchers, openCustody } from "../../src/custody/index.ts";
import { findRipgrep } from "../../src/platform/find-ripgrep.ts";
import { ownerOf } from "../custody/owner-of.ts";

const SCRIPT = "script";

const canOpenNetwork = (): Promise<boolean> =>
  openNamespace([]).then(
    ({ namespace }) => {
      namespace.close();
      return true;
    },
    () => false,
  );

async function lacking(): Promise<string[]> {
  const launchers = installedLaunchers().map(({ name }) => name);
  const custody = await openCustody();
  const { tier } = custody;
  const keep = custody.open(ownerOf("look"));
  const confinement = await thisMachine.find({ keep, custody: tier });
  const landlock = await thisLandlock.find({ keep, custody: tier });
  await keep.endAll();
  const has: [what: string, isThere: boolean][] = [
    ["Linux, for /proc and process namespaces", process.platform === "linux"],
    ["bubblewrap (bwrap)", launchers.includes("bwrap")],
    ["unshare and setpriv of util-linux", launchers.includes("unshare")],
    ["process namespaces that work", tier === "namespace"],
    ["sandboxes that hold", confinement.kind === "parts"],
    ["Landlock (Linux 6.2)", landlock.kind === "parts"],
    ["Landlock with namespaces", landlock.kind === "parts" && landlock.parts.tools.namespaces !== undefined],
    [
      "a control group, or a worker that is not root: limits on memory and processes",
      (confinement.kind === "parts" && confinement.parts.cgroups !== undefined) || process.getuid?.() !== 0,
    ],
    ["networks that programs can be put into (nsenter)", await canOpenNetwork()],
    [
      "script of util-linux, for pseudo-terminals",
      String(spawnSync(SCRIPT, ["--version"]).stdout).includes("util-linux"),
    ],
    ["/dev/full, for a disk that is", existsSync("/dev/full")],
    ["ripgrep of its package", existsSync((await findRipgrep()) ?? "")],
    ["git", spawnSync("git", ["--version"]).status === 0],
  ];
  return has.flatMap(([what, isThere]) => (isThere ? [] : [what]));
}

test("CI has everything that a test can be left out for", async () => {
  const missing = await lacking();
  if (missing.length > 0) process.stderr.write(`NOT TESTED HERE, for want of: ${missing.join("; ")}\n`);
  expect(process.env["CI"] === undefined ? [] : missing).toEqual([]);
});
