// Real processes, told apart by the named pipe in their arguments.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { installedLaunchers, keepsItsPromise, namespaceCustody, trackedCustody } from "../../src/custody/index.ts";
import type { Command, Custody, Keep } from "../../src/ports/index.ts";
import { ownerOf } from "./owner-of.ts";

export interface TestCustody {
  /** `tracked`, or the launcher's name. */
  readonly how: string;
  readonly custody: Custody;
}

/** All that this machine has: the tests of each say in their names which one they used. */
export async function custodies(): Promise<TestCustody[]> {
  const found: TestCustody[] = [{ how: "tracked", custody: trackedCustody() }];
  for (const launcher of installedLaunchers()) {
    if (await keepsItsPromise(launcher)) found.push({ how: launcher.name, custody: namespaceCustody(launcher) });
  }
  return found;
}

let opened = 0;

/** A keep that is ended with its test. */
export function openKeep(custody: Custody): Keep {
  const keep = custody.open(ownerOf("test", ++opened));
  onTestFinished(() => keep.endAll());
  return keep;
}

export const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

export const PATH = process.env["PATH"] ?? "";

/** A program of the fixtures, or a line for the shell. */
export function sh(script: string, ...args: readonly string[]): Command {
  const isFixture = script.endsWith(".sh");
  return {
    file: "sh",
    args: isFixture ? [fixture(script), ...args] : ["-c", script, "sh", ...args],
    cwd: tmpdir(),
    env: { PATH },
  };
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-custody-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Named pipes that nobody writes to. What waits at them is ended with the test, whatever came of it. */
export function namedPipe(): string {
  const path = join(temporaryFolder(), "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$1" "$1.left"', "sh", path]);
  onTestFinished(() => {
    for (const pid of waitingAt(path)) process.kill(pid, "SIGKILL");
  });
  return path;
}

/** The processes that have this path among their arguments. A zombie has none. */
export function waitingAt(path: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOrEmpty(`/proc/${pid}/cmdline`).includes(path))
    .map(Number);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Looks again and again, in real time; throws when it takes too long. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const start = performance.now();
  while (!(await isSo())) {
    if (performance.now() - start > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await delay(5);
  }
}

/** Resolves when the program has said `up` this many times. What it says later is read and dropped. */
export function upTimes(times: number, stdout: AsyncIterable<Uint8Array>): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = "";
    const listen = async () => {
      for await (const chunk of stdout) {
        heard += Buffer.from(chunk).toString();
        if (heard.split("up").length > times) resolve();
      }
    };
    listen().then(() => reject(new Error(`ended after saying: ${heard}`)), reject);
  });
}
