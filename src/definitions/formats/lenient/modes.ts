import { Effort, type PermissionMode } from "../../../schema/index.ts";
import type { Remark } from "../format.ts";
import type { Fields } from "./fields.ts";
import { isObject } from "./json-value.ts";
import { narrowerMode } from "./rights.ts";
import { kept, mapped, narrowed } from "./settings.ts";

/** The value of a table that a file's word names, and never one that every object has. */
export const ownValue = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** What other programs mean by such a word has fewer bounds; nobody is to think that here it has none. */
const WITHOUT_QUESTIONS = ": nothing is asked, and scopes, denials and protected files hold all the same";

/** The mode that a word of theirs means. One that nobody knows asks, as if it were not there. */
export function readMode(
  fields: Fields,
  key: string,
  table: Readonly<Record<string, PermissionMode>>,
  remarks: Remark[],
): PermissionMode | undefined {
  const word = fields.text(key);
  if (word === undefined) return undefined;
  const mode = ownValue(table, word);
  if (mode === undefined) {
    remarks.push(kept(key, `${word} is no mode that is known; read as default`));
    fields.keep(key, word);
  } else if (word !== mode) remarks.push(mapped(key, `${word} is ${mode}${mode === "auto" ? WITHOUT_QUESTIONS : ""}`));
  return mode ?? "default";
}

/**
 * A hook is a program that may say no. It is not run here, so what it would have been asked, a person is asked:
 * the agent gets `default` at most.
 */
export function capByHooks(fields: Fields, key: string, mode: PermissionMode, remarks: Remark[]): PermissionMode {
  const hooks = fields.take("hooks");
  if (hooks === undefined) return mode;
  fields.keep("hooks", hooks);
  remarks.push(kept("hooks", "hooks are not run here"));
  const mayDeny = !isObject(hooks) || "PreToolUse" in hooks || "PermissionRequest" in hooks;
  const capped = mayDeny ? narrowerMode(mode, "default") : mode;
  if (capped === mode) return mode;
  fields.keep(key, fields.text(key) ?? mode);
  remarks.push(narrowed(key, `its hooks may deny what ${mode} allows; read as ${capped}`));
  return capped;
}

export function readEffort(fields: Fields, key: string, remarks: Remark[]): Effort | undefined {
  const word = fields.take(key);
  const effort = Effort.safeParse(word);
  if (word === undefined || effort.success) return effort.data;
  remarks.push(kept(key, `${key} is none of ${Effort.options.join(", ")}, and is not used`));
  fields.keep(key, word);
  return undefined;
}
