import { PROTECTED_NAMES } from "../../domain/protected-paths.ts";
import type { CliTool } from "../cli/allowance.ts";

/** Its permissions, by its own names for what can be done. A denial outranks what is allowed, also with `--force`. */
const KINDS: readonly (readonly [rule: string, tools: readonly CliTool[]])[] = [
  ["Read(**)", ["Read"]],
  ["Write(**)", ["Write", "Edit"]],
  ["Shell(*)", ["Bash"]],
  ["WebFetch(*)", ["WebFetch"]],
];

const PROTECTED = PROTECTED_NAMES.flatMap((name) => [`Write(**/${name})`, `Write(**/${name}/**)`]);

export function cursorConfig(tools: ReadonlySet<CliTool>): string {
  const isOpen = (needed: readonly CliTool[]): boolean => needed.every((tool) => tools.has(tool));
  return JSON.stringify({
    version: 1,
    editor: { vimMode: false },
    approvalMode: "allowlist",
    permissions: {
      allow: KINDS.filter(([, needed]) => isOpen(needed)).map(([rule]) => rule),
      deny: [...KINDS.filter(([, needed]) => !isOpen(needed)).map(([rule]) => rule), "Mcp(*:*)", ...PROTECTED],
    },
  });
}
