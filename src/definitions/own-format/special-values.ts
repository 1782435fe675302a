// Mistakes that deserve more than "must be one of".
import { slugOf } from "../slug.ts";
import type { Path } from "./places.ts";
import { show } from "./show.ts";

export function describeSpecial(path: Path, value: unknown): string | undefined {
  if (path.length !== 1 || typeof value !== "string") return undefined;
  if (path[0] === "name") return describeName(value);
  if (path[0] === "kind" && value === "remote") return "remote agents are not supported yet";
  if (path[0] === "permission_mode" && /^dont[-_]?ask$/i.test(value)) return DONT_ASK;
  return undefined;
}

const DONT_ASK =
  '"dontAsk" has two meanings: write "auto" (everything is allowed, as in GenCode) ' +
  'or "denyUnasked" (what is not allowed is denied, as in Claude Code)';

function describeName(name: string): string {
  const slug = slugOf(name);
  const advice = slug !== undefined ? `; try "${slug}"` : "";
  return `${show(name)} cannot be an agent's name: 1 to 64 letters, digits, "_" and "-"${advice}`;
}
