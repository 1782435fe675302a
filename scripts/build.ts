import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { rewriteDeclarations } from "./declarations.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const library = ["src/index.ts", "src/schema/index.ts", "src/testing/index.ts"];
const command = `${root}dist/cli/main.js`;
const hashbang = "#!/usr/bin/env node\n";

const shared = {
  absWorkingDir: root,
  outbase: "src",
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  keepNames: true,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** The library leaves its dependencies where its users have them: a schema of theirs and of ours is one zod's. */
const bundleLibrary = () =>
  build({ ...shared, entryPoints: library, packages: "external", chunkNames: "chunks/[name]-[hash]" });

const commandLine = {
  ...shared,
  minifySyntax: true,
  minifyWhitespace: true,
  // Its main file requires its parts by names that no bundler follows.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  // For dependencies that are CommonJS and require Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
} as const satisfies BuildOptions;

/**
 * The command line brings its dependencies along, in chunks that are loaded when they are used: finding and
 * compiling hundreds of files is most of what starting up costs.
 */
const bundleCommands = () =>
  build({ ...commandLine, entryPoints: ["src/cli/program.ts"], chunkNames: "cli/chunks/[name]-[hash]" });

/** What answers the cheapest questions, each in one piece: even a dozen small files take a while to be found. */
const bundleQuickAnswers = () =>
  build({
    ...commandLine,
    entryPoints: ["src/cli/main.ts", "src/cli/quick-status.ts"],
    splitting: false,
    plugins: [requireBuiltins, loadApart],
  });

/**
 * Node's own modules by `require`. To import one is to touch all that it exports, and some of that is made when
 * it is first touched: `node:fs` alone then loads every kind of stream.
 */
const requireBuiltins: Plugin = {
  name: "require-builtins",
  setup(bundle) {
    bundle.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "builtin" } : { path, external: true },
    );
    bundle.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = require("${path}")`,
    }));
  },
};

/** What `main` loads when it is needed stays apart from it. */
const loadApart: Plugin = {
  name: "load-apart",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/(program|quick-status)\.ts$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: path.replace(/ts$/, "js"), external: true } : undefined,
    );
  },
};

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
await bundleLibrary();
await bundleCommands();
cpSync(`${root}src/definitions/built-in`, `${root}dist/built-in`, { recursive: true });
await bundleQuickAnswers();
makeExecutable(command);
declareTypes();
rewriteDeclarations(`${root}dist`);
