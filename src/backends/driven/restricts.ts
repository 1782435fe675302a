import { DELEGATION_TOOLS } from "../../domain/tool-names.ts";
import { parseRule } from "../../domain/tool-rules.ts";
import type { ToolRules } from "../../schema/index.ts";

/** That nobody may delegate is said of everybody, and no other program is given a tool for it. */
export const restricts = ({ allow, ask, deny }: ToolRules): boolean =>
  allow !== null || ask.length > 0 || deny.some((rule) => !DELEGATION_TOOLS.has(parseRule(rule).name));
