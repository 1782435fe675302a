import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nearest } from "../../domain/nearest.ts";
import { invalidInput } from "../../errors/index.ts";
import type { Clock, Trust } from "../../ports/index.ts";
import type { ShelvedTool, ToolShelf } from "../../ports/tool-shelf.ts";
import { manifestTemplate } from "./manifest-template.ts";
import { ManifestName } from "./manifest.ts";
import { runProgram } from "./run-program.ts";
import { toolCommand } from "./tool-command.ts";
import { findTools, type FoundTool, type ToolLayer } from "./tool-folders.ts";
import { inputSchemaOf } from "./tool-inputs.ts";

export interface ShelfParts {
  /** Null where there is no project, only the user's own home. */
  readonly project: ToolLayer | null;
  readonly user: ToolLayer;
  readonly trust: Pick<Trust, "isTrusted">;
  readonly clock: Clock;
  /** Where a person runs a tool. */
  readonly cwd: string;
}

const layersOf = ({ project, user }: Pick<ShelfParts, "project" | "user">): ToolLayer[] =>
  project === null ? [user] : [project, user];

/** Manifest tools as people use them: outside of any attempt. */
export function toolShelf(parts: ShelfParts): ToolShelf {
  const { trust, clock, cwd } = parts;
  const find = () => findTools(layersOf(parts), trust);
  return {
    async list() {
      const { tools, problems } = await find();
      return { tools: tools.map(shelved), problems };
    },
    async run(name, inputs, keep, signal) {
      const tool = pick(name, (await find()).tools);
      const prepared = toolCommand(tool, inputs, cwd, null);
      if (!prepared.ok) throw invalidInput(prepared.problem, { hint: "See what it takes: cadre tools list --json" });
      return runProgram(prepared.run, { keep, wrap: (command) => command, clock, signal });
    },
    async create(name, scope) {
      const layer = parts[scope];
      if (layer === null)
        throw invalidInput("there is no project here to write it for", { hint: "Make one: cadre init" });
      return { file: create(layer.folder, name) };
    },
  };
}

const shelved = ({ manifest, source, trusted, sha256 }: FoundTool): ShelvedTool => ({
  name: manifest.name,
  description: manifest.description,
  effect: manifest.effect,
  source,
  trusted,
  sha256,
  inputSchema: inputSchemaOf(manifest.inputs),
});

function pick(name: string, tools: readonly FoundTool[]): FoundTool {
  const found = tools.find(({ manifest }) => manifest.name.toLowerCase() === name.toLowerCase());
  if (found === undefined) {
    const guess = nearest(
      name,
      tools.map(({ manifest }) => manifest.name),
    );
    const hint = guess === undefined ? "List those there are: cadre tools list" : `Did you mean "${guess}"?`;
    throw invalidInput(`there is no tool called ${JSON.stringify(name)}`, { hint });
  }
  if (!found.trusted)
    throw invalidInput(`the tool "${found.manifest.name}" comes from a folder that is not trusted: ${found.source}`, {
      hint: "Read its files, then say so: cadre trust",
    });
  return found;
}

function create(folder: string, name: string): string {
  const parsed = ManifestName.safeParse(name);
  if (!parsed.success)
    throw invalidInput(
      `${JSON.stringify(name)} cannot be the name of a tool: ${parsed.error.issues[0]?.message ?? ""}`,
    );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw invalidInput(`${folder} is a link, not a folder`);
  const own = join(folder, name);
  const file = join(own, "tool.yml");
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw invalidInput(`${own} is there already: nothing was changed`, {
      hint: "Choose another name, or edit its tool.yml.",
    });
  }
  writeFileSync(file, manifestTemplate(name), { flag: "wx", mode: 0o600 });
  return file;
}
