import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { rewriteDeclarations } from "./declarations.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const entries = ["src/index.ts", "src/schema/index.ts", "src/testing/index.ts", "src/cli/main.ts"];
const command = `${root}dist/cli/main.js`;
const hashbang = "#!/usr/bin/env node\n";

async function bundle(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outbase: "src",
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    keepNames: true,
    logLevel: "warning",
  });
}

/** The hashbang belongs to one output only, and a banner would go to all of them. */
function makeExecutable(path: string): void {
  const text = readFileSync(path, "utf8");
  if (!text.startsWith("#!")) writeFileSync(path, hashbang + text);
  chmodSync(path, 0o755);
}

function declareTypes(): void {
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const options = { cwd: root, stdio: "inherit", timeout: 120_000 } as const;
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], options);
  if (status !== 0) throw new Error("The type declarations were not written.\nhint: run `npm run typecheck`.");
}

rmSync(`${root}dist`, { recursive: true, force: true });
await bundle();
makeExecutable(command);
declareTypes();
rewriteDeclarations(`${root}dist`);
