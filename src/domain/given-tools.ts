import type { ToolList } from "../schema/index.ts";

/** The rules by which a definition gives itself tools: those of an allowlist that it wants to be asked about among them. */
export function givenIn(tools: ToolList | undefined): readonly string[] {
  if (tools === undefined || Array.isArray(tools)) return tools ?? [];
  return tools.mode === "allowlist" ? [...tools.allow, ...tools.ask] : tools.allow;
}
