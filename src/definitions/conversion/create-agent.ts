import { join } from "node:path";
import { agentKey } from "../../domain/agent-names.ts";
import { invalidInput } from "../../errors/index.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { AgentName } from "../../schema/index.ts";
import { cachingReader } from "../agent-file.ts";
import { readAgentFolder } from "../agent-folder.ts";
import { MAX_FILE_BYTES } from "../own-format/size-limit.ts";
import { readAgentText } from "../own-format/read-agent-text.ts";
import { ownReader } from "../own-reader.ts";
import { agentTemplate } from "./agent-template.ts";
import { type Roots, shownPath } from "./shown-path.ts";

export async function createAgent(
  name: string,
  description: string | undefined,
  roots: Roots,
): Promise<{ file: string }> {
  const parsed = AgentName.safeParse(name);
  if (!parsed.success) throw invalidInput(`${JSON.stringify(name)}: ${parsed.error.issues[0]?.message ?? "no name"}`);
  const text = agentTemplate(
    parsed.data,
    description?.trim() === "" || description === undefined ? DESCRIPTION : description.trim(),
  );
  return writeAgentFile(parsed.data, text, roots);
}

/** Into the agents of the home, unless there is one of that name, or the text is no agent. */
export async function writeAgentFile(name: string, text: string, roots: Roots): Promise<{ file: string }> {
  const folder = new OwnedFolder(join(roots.home, "agents"));
  const file = `${name}.md`;
  const read = await readAgentText(text, file);
  if (!read.ok) throw invalidInput(`no agent can be made of that: ${read.problems[0]?.message ?? ""}`);
  const { files } = await readAgentFolder({ folder: folder.path }, cachingReader(), ownReader, () => undefined);
  const isTaken = ({ path, agents }: (typeof files)[number]) =>
    path === join(folder.path, file) || agents.some(({ definition }) => agentKey(definition.name) === agentKey(name));
  const other = files.find(isTaken);
  const there = folder.read(file, MAX_FILE_BYTES);
  if (there.kind === "unusable") throw invalidInput(`${shownPath(folder.path, roots)} cannot be used: ${there.why}`);
  if (other !== undefined || there.kind !== "missing") {
    throw invalidInput(`there is an agent of that name: ${shownPath(other?.path ?? join(folder.path, file), roots)}`, {
      hint: "Edit it, or choose another name.",
    });
  }
  folder.create(file, text);
  return { file: shownPath(join(folder.path, file), roots) };
}

const DESCRIPTION = "Say in one sentence when this agent is the one to use";
