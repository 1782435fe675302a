// A project with files, and the conversion in it as a process would have it.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileRegistry, joinRegistries, memoryRegistry } from "../../../src/definitions/index.ts";
import { agentLayers } from "../../../src/definitions/index.ts";
import { openConversion } from "../../../src/definitions/conversion/open-conversion.ts";
import { loadFormat, PLACES } from "../../../src/definitions/formats/index.ts";
import type { Conversion, ImportWish } from "../../../src/ports/index.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";
import { fakeClock } from "../../../src/testing/index.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";

export interface Project {
  readonly root: string;
  readonly userHome: string;
  readonly conversion: Conversion;
  /** Moves the clock. */
  readonly wait: (ms: number) => Promise<void>;
  readonly put: (files: Readonly<Record<string, string>>) => Promise<void>;
  /** A file of the project, exactly. */
  readonly text: (path: string) => Promise<string>;
  /** Every file of the project, by its path. */
  readonly files: () => Promise<string[]>;
}

const trusting = {
  isTrusted: async () => true,
  grant: async () => {},
  revoke: async () => {},
  list: async () => [],
  pinsOf: async () => null,
  pin: async () => {},
};

export async function project(
  files: Readonly<Record<string, string>>,
  agents: readonly object[] = [],
): Promise<Project> {
  const base = await temporaryFolder();
  const [root, userHome] = [join(base, "project"), join(base, "home")];
  await write(base, { "project/.keep": "", "home/.keep": "" });
  await write(root, files);
  const clock = fakeClock();
  const roots = { home: join(root, ".cadre"), project: root, userHome };
  const layers = agentLayers(roots, { places: PLACES, load: loadFormat });
  const registry = joinRegistries(
    memoryRegistry(agents.map((agent) => AgentDefinition.parse(agent))),
    fileRegistry({ trust: trusting, layers }),
  );
  return {
    root,
    userHome,
    conversion: openConversion({
      roots,
      registry,
      clock,
      load: loadFormat,
      tools: async () => ["greet"],
      models: async () => (model) => model === "sonnet",
    }),
    wait: (ms) => clock.advance(ms),
    put: (more) => write(root, more),
    text: (path) => readFile(join(root, path), "utf8"),
    files: async () =>
      (await readdir(root, { recursive: true, withFileTypes: true }))
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .filter((path) => path !== ".keep")
        .toSorted(),
  };
}

export const importWish = (change: Partial<ImportWish>): ImportWish => ({
  all: false,
  dry: false,
  update: false,
  ...change,
});
