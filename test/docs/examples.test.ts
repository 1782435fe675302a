import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/index.ts";
import { blocksOf, documents, files, read } from "./documents.ts";
import { freshFolder } from "../fresh-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const LIMIT_MS = 60_000;
const run = promisify(execFile);

const examples = files.filter((path) => /^docs\/examples\/.*\.ts$/.test(path));

/** The package by its name, as users import it, from the sources. */
const entries = { cadre: "index.ts", "cadre/schema": "schema/index.ts", "cadre/testing": "testing/index.ts" };
const urls = Object.entries(entries).map(([name, file]) => [name, new URL(`../../src/${file}`, import.meta.url).href]);
const hook = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const urls = new Map(${JSON.stringify(urls)});
  registerHooks({
    resolve: (name, context, next) =>
      urls.has(name) ? { url: urls.get(name), shortCircuit: true } : next(name, context),
  });
`)}`;

async function outputOf(path: string): Promise<string[]> {
  const cwd = freshFolder("docs");
  const env = { HOME: freshFolder("docs"), PATH: process.env["PATH"] ?? "" };
  const { stdout } = await run(process.execPath, ["--import", hook, join(root, path)], { cwd, env, timeout: LIMIT_MS });
  return stdout.trimEnd().split("\n");
}

/** What each program prints, or the end of it. */
const PRINTED: Readonly<Record<string, string[]>> = {
  "docs/examples/answer-approvals.ts": [
    "writer wants to use Write { path: 'note.txt', content: 'allowed' }",
    "completed",
  ],
  "docs/examples/first-task.ts": ["completed Hello."],
  "docs/examples/own-backend.ts": ["It is in shout.txt."],
  "docs/examples/stop-a-task.ts": ["true cooperative"],
  "docs/examples/test-an-agent.ts": ["an hour has passed"],
  "docs/examples/typed-agent.ts": ["1 The README has no example."],
  "docs/examples/watch-a-task.ts": ["completed 1 child"],
};

describe("the programs in docs/examples", () => {
  test("are all expected here", () => {
    expect(examples).toEqual(Object.keys(PRINTED));
  });

  test("compile as a user's program would", { timeout: LIMIT_MS }, async () => {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const compiled = run(process.execPath, [compiler, "--noEmit", "-p", "docs/examples"], {
      cwd: root,
      timeout: LIMIT_MS,
    });
    await expect(compiled.catch((error: { stdout?: string }) => error)).resolves.toMatchObject({ stdout: "" });
  });

  test.each(examples)("%s runs and prints what it says", { timeout: LIMIT_MS }, async (path) => {
    const expected = PRINTED[path] ?? [];
    expect((await outputOf(path)).slice(-expected.length)).toEqual(expected);
  });
});

describe("TypeScript in the documents", () => {
  const sources = examples.map(read);
  const blocks = documents.flatMap(blocksOf).filter(({ language }) => language === "ts");

  test.each(blocks.map(({ path, text }) => [path, text] as const))(
    "%s: is cut from a program in docs/examples",
    (_, text) => {
      expect(sources.some((source) => source.includes(text))).toBe(true);
    },
  );
});

describe("the first agent of the README", () => {
  const [agent] = blocksOf("README.md").filter(({ language }) => language === "markdown");
  const [shown] = blocksOf("README.md").filter(({ language }) => language === "text");

  async function greet(text: string) {
    const project = freshFolder("docs");
    mkdirSync(join(project, ".cadre", "agents"), { recursive: true });
    writeFileSync(join(project, ".cadre", "agents", "hello.md"), text);
    const options = {
      cwd: project,
      userHome: freshFolder("docs"),
      trusted: [project],
      env: {},
      askable: "nobody",
    } as const;
    await using cadre = await openCadre(options);
    const task = await cadre.run({ agent: "hello", prompt: "Greet the reader" });
    return { project, task };
  }

  test("does what the README says", async () => {
    const { project, task } = await greet(agent?.text ?? "");
    expect(task.outcome).toMatchObject({ status: "completed", answer: "hello.txt is there." });
    expect(shown?.text.trimEnd().split("\n").at(-1)).toBe("hello.txt is there.");
    expect(readFileSync(join(project, "hello.txt"), "utf8")).toBe("Hello from an agent.\n");
  });

  test("is refused the write without its workspace setting", async () => {
    const { task } = await greet((agent?.text ?? "").replace(/^workspace:.*\n/m, ""));
    expect(task.calls).toEqual({ made: 0, refused: 1 });
  });
});
