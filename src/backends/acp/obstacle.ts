// What keeps a task from running on a peer, found out at admission.
import { isAbsolute } from "node:path";
import { hasServers } from "../../domain/mcp-servers.ts";
import { findProgram } from "../../platform/find-program.ts";
import type { Obstacle } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { notBelieved } from "../cli/by-documents.ts";
import { holdFor, unkeepable } from "./hold.ts";
import { given, type Lookup } from "./peer-environment.ts";
import type { Preset } from "./presets.ts";

export interface ObstacleParts {
  readonly lookup: Lookup;
  /** Programs are held to the policy by the operating system. */
  readonly isConfined: boolean;
  readonly hasOwnTools: boolean;
}

export function obstacleFor(
  preset: Preset,
  spec: TaskSpec,
  isMoneyLimited: boolean,
  { lookup, isConfined, hasOwnTools }: ObstacleParts,
): Obstacle | null {
  const { definition, policy } = spec;
  const { name } = preset;
  const [program] = definition.command ?? preset.command ?? [];
  if (program === undefined)
    return {
      message: `"${definition.name}" names no command to run`,
      hint: `Give the peer's command line: command: [my-agent, --acp]`,
    };
  const needsServer = definition.completion.exits !== undefined || hasServers(definition);
  if (needsServer && !hasOwnTools)
    return {
      message: `"${name}" is given no MCP server here, by which exits and tools of "${definition.name}" would reach it`,
      hint: "Leave completion.exits and mcp_servers out, or use backend: native.",
    };
  if (isMoneyLimited)
    return {
      message: `nobody knows beforehand what "${name}" costs, and money is limited here`,
      hint: "Leave the budget in dollars out, or use backend: native.",
    };
  const unbelieved = notBelieved({ name, known: preset.known ?? "tried" }, policy, isConfined);
  if (unbelieved !== null) return unbelieved;
  const hold = holdFor(policy);
  const heldBy = hold === "free" ? undefined : preset.heldBy[hold];
  if (typeof heldBy === "object" && heldBy.modes.length === 0)
    return {
      message: `"${name}" has no mode in which it asks before it changes files, and "${definition.name}" wants that`,
      hint: "Use permission_mode plan, open everything by auto, or use another backend.",
    };
  const open = unkeepable(policy, isConfined);
  if (open !== undefined)
    return {
      message: `"${definition.name}" could not be held to its policy by "${name}": ${open}, and a peer reads without asking`,
      hint: "Use backend: native for such an agent.",
    };
  if (!program.includes("/") || isAbsolute(program)) {
    const found = findProgram(program, { cwd: "/", path: lookup("PATH") });
    if (!found.ok) return { message: found.problem, hint: `Install it, or choose another backend: cadre doctor` };
  }
  const { needs } = preset;
  if (needs !== undefined && Object.keys(given(needs, lookup)).length === 0)
    return {
      message: `"${name}" needs a key: it runs in a home of its own, and sees no login of yours`,
      hint: `Set ${needs.join(" or ")} in your environment.`,
    };
  return null;
}
