import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kiro } from "../../../src/definitions/formats/kiro/kiro.ts";
import { agentIn } from "./foreign.ts";
import { isWider, show, type Use, USES, type Verdict, verdictOf } from "./uses.ts";

interface Rule {
  readonly capability: string;
  readonly effect: Verdict;
  readonly match?: readonly string[];
  readonly exclude?: readonly string[];
}

interface File {
  readonly tools: readonly string[];
  readonly allowedTools: readonly string[];
  readonly permissions: readonly Rule[];
}

const TAGS: Readonly<Record<string, string>> = {
  Edit: "write",
  Write: "write",
  Bash: "shell",
  WebFetch: "web",
  WebSearch: "web",
};
const CAPABILITIES: Readonly<Record<string, string>> = {
  Edit: "fs_write",
  Write: "fs_write",
  Bash: "shell",
  WebFetch: "web_fetch",
  WebSearch: "web_search",
};

const tagOf = ({ tool, effect }: Use): string => (effect === "read" ? "read" : (TAGS[tool] ?? tool));

const has = (tools: readonly string[], use: Use): boolean => {
  if (tools.includes("*")) return true;
  const server = /^mcp__(.+)__/.exec(use.tool)?.[1];
  if (server !== undefined) return tools.includes("@mcp") || tools.includes(`@${server}`);
  return tools.includes(tagOf(use)) || (tools.includes("todo_list") && use.tool === "TodoWrite");
};

const glob = (pattern: string, text: string, isPath: boolean): boolean => {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("**/", "\u0001")
    .replaceAll("**", "\u0002")
    .replaceAll("*", isPath ? "[^/]*" : ".*")
    .replaceAll("\u0001", "(.*/)?")
    .replaceAll("\u0002", ".*");
  return new RegExp(`^${source}$`, "s").test(text);
};

/** Kiro's own way to decide, written down again. */
function kiroDecides({ tools, allowedTools, permissions }: File, use: Use): Verdict {
  if (!has(tools, use)) return "deny";
  const isMcp = use.tool.startsWith("mcp__");
  const capability = isMcp ? "mcp" : use.effect === "read" ? "fs_read" : CAPABILITIES[use.tool];
  const input = isMcp ? use.tool.replace(/^mcp__/, "").replace("__", "/") : (use.path ?? use.commands?.[0] ?? "");
  const fits = (pattern: string) => pattern === "*" || glob(pattern, input, use.path !== undefined);
  const effects = permissions
    .filter((rule) => rule.capability === capability || rule.capability === "all")
    .filter((rule) => rule.match === undefined || rule.match.some(fits))
    .filter((rule) => rule.exclude === undefined || !rule.exclude.some(fits))
    .map(({ effect }) => effect);
  for (const effect of ["deny", "ask", "allow"] as const) if (effects.includes(effect)) return effect;
  if (use.effect === "read" || use.effect === "none") return "allow";
  return allowedTools.includes(tagOf(use)) ? "allow" : "ask";
}

const patterns = fc.uniqueArray(
  fc.constantFrom("*", "git *", "git diff*", "rm *", "src/**", "**/*.pem", "docs/x.md", "github/*", "github/delete"),
  { minLength: 1, maxLength: 3 },
);
const rule = fc.record(
  {
    capability: fc.constantFrom("all", "fs_read", "fs_write", "shell", "web_fetch", "web_search", "mcp"),
    effect: fc.constantFrom<Verdict>("allow", "ask", "deny"),
    match: patterns,
    exclude: patterns,
  },
  { requiredKeys: ["capability", "effect"] },
) as fc.Arbitrary<Rule>;
const files = fc.record({
  tools: fc.uniqueArray(fc.constantFrom("*", "read", "write", "shell", "web", "todo_list", "@mcp", "@github"), {
    maxLength: 5,
  }),
  allowedTools: fc.uniqueArray(fc.constantFrom("read", "write", "shell", "web"), { maxLength: 3 }),
  permissions: fc.array(rule, { maxLength: 5 }),
});

describe("rights of an agent of Kiro", () => {
  it("never become wider than Kiro itself takes them", () => {
    fc.assert(
      fc.property(files, (file) => {
        const { definition } = agentIn(kiro, `---\n${JSON.stringify({ description: "d", ...file })}\n---\np\n`, "a.md");
        const wider = USES.filter((use) => isWider(verdictOf(definition, use), kiroDecides(file, use)));
        expect(wider.map(show)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
