// CLIs as they are driven, with a stub in their place that plays transcripts of the real ones.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownToolsFor } from "../../../src/app/own-tools.ts";
import type { Cli } from "../../../src/backends/cli/cli.ts";
import { cliBackend } from "../../../src/backends/cli/cli-backend.ts";
import type { CliOptions } from "../../../src/backends/cli/cli-options.ts";
import { noConfinement } from "../../../src/confinement/none/no-confinement.ts";
import { trackedCustody } from "../../../src/custody/index.ts";
import { outputSchemaGates } from "../../../src/gates/output-schema/output-schema-gate.ts";
import type { Confinement, Gates } from "../../../src/ports/index.ts";
import type { LivePart, Policy } from "../../../src/schema/index.ts";
import { registryOf, startEngine, type TestEngine } from "../../../src/testing/index.ts";
import { sharedWorkspaces } from "../../../src/workspaces/shared/shared-workspaces.ts";
import { PATH, temporaryFolder } from "../../custody/kit.ts";
import type { Definition } from "../../engine/kit.ts";
import type { OwnCall } from "../own-tools/call-tool.ts";

export type Play = Partial<{
  says: readonly string[];
  repeats: number;
  isDialogue: boolean;
  stderr: string;
  code: number;
  isDeaf: boolean;
  ours: readonly OwnCall[];
  breaks: boolean;
  tellsAll: boolean;
}>;

export interface Started {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly heard: readonly string[];
  readonly cwd: string;
}

export interface StubWorld extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly project: string;
  readonly home: string;
  readonly parts: LivePart[];
  /** How the CLI was started, each time. */
  started(): readonly Started[];
}

export const KEY_VALUE = "sk-of-the-tests-0123456789";

export interface StubOptions {
  readonly agent?: Partial<Definition>;
  readonly version?: string;
  readonly options?: Partial<CliOptions>;
  readonly baseline?: Policy;
  readonly gates?: Gates;
  /** As if the operating system held what it starts to the policy. */
  readonly isConfined?: boolean;
  /** A folder that is there; else a fresh one. */
  readonly project?: string;
}

const HELP = { delegate: "worker", prompt: "help" };

/** `plays` are what it does, one for each start; the last one stays. */
export async function withStub(cli: Cli, plays: readonly Play[], more: StubOptions = {}): Promise<StubWorld> {
  const project = more.project ?? temporaryFolder();
  const bin = stub(cli, plays, more.version ?? cli.tested, project);
  const home = join(project, ".cadre");
  const parts: LivePart[] = [];
  const registry = registryOf(
    { name: "worker", description: "Works.", backend: cli.name, ...more.agent },
    { name: "helper", description: "Helps.", tape: [{ answer: "from the helper" }] },
    { name: "lead", description: "Leads.", tape: [HELP, HELP, { answer: "led" }] },
  );
  const { isConfined = false } = more;
  const options = { ...optionsFor(cli, bin, project), ownTools: ownToolsFor(registry), isConfined, ...more.options };
  const engine = await startEngine({
    registry,
    backends: [cliBackend(cli, options)],
    workspaces: sharedWorkspaces(project),
    gates: more.gates ?? outputSchemaGates,
    custody: trackedCustody(),
    confinement: isConfined ? calledConfined : noConfinement,
    credentials: { known: () => [[cli.keys[0] ?? "", KEY_VALUE]] },
    ...(more.baseline === undefined ? {} : { baseline: more.baseline }),
    live: { write: (_task, part) => void parts.push(part) },
  });
  return {
    engine,
    project,
    home,
    parts,
    started: () =>
      readFileSync(join(bin, "started.jsonl"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Started),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

const calledConfined: Confinement = {
  prepare: async (wish) => ({
    ...(await noConfinement.prepare(wish)),
    label: { commands: "os", fileTools: "policy" },
  }),
};

export const optionsFor = (cli: Cli, bin: string, project: string): CliOptions => ({
  home: join(project, ".cadre"),
  project,
  userHome: undefined,
  env: { PATH: `${bin}:${PATH}`, [cli.keys[0] ?? ""]: KEY_VALUE },
});

/** A folder with the CLI in it, as its package would lie there. */
export function stub(cli: Cli, plays: readonly Play[], version: string, project = "/project"): string {
  const bin = temporaryFolder();
  mkdirSync(join(bin, "lib"));
  writeFileSync(join(bin, "package.json"), JSON.stringify({ name: cli.package, version }));
  writeFileSync(join(bin, "plays.json"), JSON.stringify(plays).replaceAll("/project", project));
  writeFileSync(join(bin, "started.jsonl"), "");
  const program = fileURLToPath(new URL("fixtures/stub-cli.ts", import.meta.url));
  writeFileSync(join(bin, cli.program), `#!/bin/sh\nexec "${process.execPath}" "${program}" "${bin}" "$@"\n`);
  chmodSync(join(bin, cli.program), 0o755);
  return bin;
}

export const transcript = (cli: Cli, name: string): string[] =>
  readFileSync(fileURLToPath(new URL(`../fixtures/${cli.name}/${cli.tested}/${name}.jsonl`, import.meta.url)), "utf8")
    .split("\n")
    .filter((line) => line !== "");
