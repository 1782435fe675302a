// The suite as a program, and what it says of each scenario.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** In a folder of their own: what they depend on is not what our sources get. */
export const PROGRAMS = fileURLToPath(new URL("programs", import.meta.url));

/** They may keep what they like there. */
const HOME_OF_PROGRAMS = mkdtempSync(join(tmpdir(), "cadre-conformance-home-"));
process.on("exit", () => rmSync(HOME_OF_PROGRAMS, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

export interface Leg {
  readonly name: string;
  readonly program: "@modelcontextprotocol/conformance" | "conformance-stable";
  readonly args: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
}

export interface LegResult {
  readonly scenarios: readonly Scenario[];
  readonly output: string;
  readonly exit: number | null;
}

const LINE = /^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gmu;

/** Bounded: what does not end is ended, and counts as what it has said until then. */
export async function runLeg({ program, args }: Leg, limitMs: number): Promise<LegResult> {
  const file = join(PROGRAMS, "node_modules", program, "dist", "index.js");
  const { exit, output } = await run(process.execPath, [file, ...args], limitMs);
  const scenarios = [...output.matchAll(LINE)].map(([, name = "", passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }));
  return { scenarios, output, exit };
}

export function run(
  file: string,
  args: readonly string[],
  limitMs: number,
  /** Without more, nothing of ours: no key, no settings, no home. */
  env: NodeJS.ProcessEnv = { PATH: process.env["PATH"], HOME: HOME_OF_PROGRAMS },
): Promise<{ exit: number | null; output: string }> {
  const child = spawn(file, args, { cwd: PROGRAMS, env, stdio: ["ignore", "pipe", "pipe"], timeout: limitMs });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (exit) => resolve({ exit, output }));
  });
}
