import { nearest } from "../../domain/nearest.ts";
import { invalidInput } from "../../errors/index.ts";
import type { Clock, Command } from "../../ports/index.ts";
import type { ShelvedTool, ToolShelf } from "../../ports/tool-shelf.ts";
import { manifestTemplate } from "./manifest-template.ts";
import { runProgram } from "./run-program.ts";
import { toolCommand } from "./tool-command.ts";
import { findTools, type FoundTool, type ToolLayer, type ToolTrust } from "./tool-folders.ts";
import { inputSchemaOf } from "./tool-inputs.ts";
import { manifestText, writeTool } from "./write-tool.ts";

export interface ShelfParts {
  /** Null where there is no project, only the user's own home. */
  readonly project: ToolLayer | null;
  readonly user: ToolLayer;
  readonly trust: ToolTrust;
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
      const tool = seen(pick(name, (await find()).tools));
      const prepared = toolCommand(tool, inputs, cwd, null);
      if (!prepared.ok) throw invalidInput(prepared.problem, { hint: "See what it takes: cadre tools list --json" });
      const place = { keep, wrap: (command: Command) => command, clock, signal };
      const { ok, text, json } = await runProgram(prepared.run, place);
      return { ok, text, json };
    },
    create: async (name, scope) => ({ file: writeTool(folderOf(parts, scope), name, manifestTemplate(name)) }),
    async write({ script, ...fields }, scope, proposed) {
      const { tools, problems } = await find();
      if (tools.some(({ manifest }) => manifest.name.toLowerCase() === fields.name.toLowerCase()))
        throw invalidInput(`there is a tool called "${fields.name}" already`, { hint: "Choose another name." });
      const waiting = tools.filter(({ manifest, unseen }) => manifest.proposed !== undefined && unseen !== undefined);
      if (proposed !== null && waiting.length + problems.length >= MAX_WAITING)
        throw invalidInput(`${waiting.length} tools wait for a person already`, {
          hint: "Ask them to look: cadre trust",
        });
      const text = await manifestText({ ...fields, ...(proposed === null ? {} : { proposed }) });
      return { file: writeTool(folderOf(parts, scope), fields.name, text, script) };
    },
  };
}

const MAX_WAITING = 20;

const folderOf = (parts: ShelfParts, scope: "project" | "user"): string => {
  const layer = parts[scope];
  if (layer !== null) return layer.folder;
  throw invalidInput("there is no project here to write it for", { hint: "Make one: cadre init" });
};

/** A person may run what they have not agreed to for agents, but not what an agent has written. */
function seen(tool: FoundTool): FoundTool {
  if (tool.unseen === undefined || tool.manifest.proposed === undefined) return tool;
  throw invalidInput(`the tool "${tool.manifest.name}" ${tool.unseen.join("; ")}`, {
    hint: `Read ${tool.source}, then say so: cadre trust`,
  });
}

const shelved = ({ manifest, source, trusted, sha256, pin, unseen }: FoundTool): ShelvedTool => ({
  ...(pin === undefined ? {} : { pin }),
  ...(unseen === undefined ? {} : { unseen }),
  ...(manifest.proposed === undefined ? {} : { proposed: manifest.proposed }),
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
