// The inspector's command line against `cadre mcp` as a process: what it lists, strictly, in either era, and a call.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./suite.ts";

const LIMIT_MS = 60_000;
const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const INSPECTOR = fileURLToPath(new URL("programs/node_modules/.bin/mcp-inspector", import.meta.url));

export interface Inspected {
  readonly name: string;
  /** Null: there is none. */
  readonly problem: string | null;
}

const ERAS = ["legacy", "auto", "modern"] as const;
const METHODS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["tools/list --strict", ["--method", "tools/list", "--strict"]],
  ["tools/call agents", ["--method", "tools/call", "--tool-name", "agents", "--tool-args-json", "{}"]],
];

export async function inspect(): Promise<Inspected[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-inspector-")));
  const home = join(base, "project", ".cadre");
  mkdirSync(home, { recursive: true });
  const server = [process.execPath, MAIN, "--home", home, "mcp"];
  const results: Inspected[] = [];
  try {
    for (const era of ERAS) {
      for (const [name, args] of METHODS) {
        const all = [INSPECTOR, "--cli", "--protocol-era", era, ...args, "--format", "json", "-q", "--", ...server];
        const { exit, output } = await run(process.execPath, all, LIMIT_MS);
        results.push({ name: `${era} ${name}`, problem: exit === 0 ? null : `exit ${exit}: ${output.slice(-600)}` });
      }
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return results;
}
