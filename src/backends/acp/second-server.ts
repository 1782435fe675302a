// What `cadre connect --project` wrote for a program's own use. Driven here, it would start that as well: a second
// Cadre inside of the attempt, and one that need not know whose attempt it is.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { isWithin } from "../../domain/scopes.ts";
import { fieldsOf } from "../driven/json-fields.ts";
import { SERVER } from "../own-tools/server-name.ts";

/** Files of a project by which a peer starts servers, and the key that these stand under. */
export interface ServerFiles {
  readonly files: readonly string[];
  readonly key: string;
  /** What `connect` calls the program. */
  readonly host: string;
}

interface Place {
  readonly root: string;
  readonly base: string;
}

/** Why it must not be started there. The folders from where it works up to the project are looked at. */
export function secondServer(peer: string, { files, key, host }: ServerFiles, { root, base }: Place): string | null {
  for (let folder = root; isWithin(folder, base); folder = dirname(folder)) {
    const file = files.map((name) => join(folder, name)).find((path) => names(path, key));
    if (file !== undefined)
      return `${peer} would start Cadre's own server, which ${file} names, inside of this attempt; take it out there (cadre disconnect ${host} --project), and connect ${host} for yourself alone (cadre connect ${host} --user)`;
    if (folder === dirname(folder)) break;
  }
  return null;
}

function names(file: string, key: string): boolean {
  const servers = fieldsOf(fieldsOf(parsed(file))[key]);
  if (!Object.hasOwn(servers, SERVER)) return false;
  const { enabled, disabled } = fieldsOf(servers[SERVER]);
  return enabled !== false && disabled !== true;
}

/** What cannot be read or is broken names nothing: to the peer neither. */
function parsed(file: string): unknown {
  try {
    const text = readFileSync(file, "utf8");
    return file.endsWith(".toml") ? parseToml(text) : parseJsonc(text);
  } catch {
    return undefined;
  }
}
