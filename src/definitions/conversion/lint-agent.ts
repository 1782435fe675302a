// What is allowed and still looks like a mistake, for one agent.
import { matchesText } from "../../domain/globs.ts";
import { nearest } from "../../domain/nearest.ts";
import { type ToolDialect, toolsCalled, TOOLS } from "../../domain/tool-names.ts";
import { parseRule } from "../../domain/tool-rules.ts";
import type { AgentDefinition } from "../../schema/index.ts";
import { FORMATS } from "../formats/format.ts";

export interface Lint {
  /** Where in the definition. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface LintOptions {
  /** Tools beside those of Cadre: written by people. */
  readonly tools: readonly string[];
  /** Whether a model of that name could be opened. */
  readonly knowsModel: (model: string) => boolean;
}

export const lintAgent = (definition: AgentDefinition, options: LintOptions): Lint[] => [
  ...lintTools(definition, options.tools),
  ...lintModel(definition, options),
  ...lintPrompt(definition),
  ...lintInputs(definition),
];

function lintTools({ tools, source }: AgentDefinition, more: readonly string[]): Lint[] {
  // What another program denies may be a tool that only that program has.
  const keys = source === undefined ? (["allow", "ask", "deny"] as const) : (["allow", "ask"] as const);
  const lists = Array.isArray(tools)
    ? [{ path: ["tools"], rules: tools }]
    : keys.map((key) => ({ path: ["tools", key], rules: tools?.[key] ?? [] }));
  const known = [...TOOLS, ...more];
  return lists.flatMap(({ path, rules }) =>
    rules.flatMap((rule, index): Lint[] => {
      const { name } = parseRule(rule);
      const isKnown = name.startsWith("mcp__") || known.some((tool) => tool === name || matchesText(name, tool));
      return isKnown
        ? []
        : [{ path: [...path, index], message: `there is no tool called "${name}"${meant(name, known)}` }];
    }),
  );
}

function meant(name: string, known: readonly string[]): string {
  const dialects: readonly ToolDialect[] = FORMATS;
  const translated = dialects.flatMap((dialect) => toolsCalled(dialect, name) ?? [])[0];
  const near = translated ?? nearest(name, known);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** Agents that another program runs have that program's models. */
function lintModel({ model, backend, tape, command }: AgentDefinition, { knowsModel }: LintOptions): Lint[] {
  const backends = backend === undefined ? ["native"] : [backend].flat();
  if (model === "inherit" || tape !== undefined || command !== undefined || backends[0] !== "native") return [];
  if (knowsModel(model)) return [];
  return [{ path: ["model"], message: `nobody knows a model called "${model}"` }];
}

/** What programs cut off or refuse, as they say themselves. */
const LIMITS: readonly { readonly backend: string; readonly field: "prompt" | "description"; readonly most: number }[] =
  [
    { backend: "copilot", field: "prompt", most: 30_000 },
    { backend: "factory", field: "description", most: 500 },
  ];

function lintPrompt(definition: AgentDefinition): Lint[] {
  const backends = [definition.backend ?? []].flat();
  const over = LIMITS.filter(
    ({ backend, field, most }) => backends.includes(backend) && definition[field].length > most,
  );
  const isEmpty = definition.prompt.trim() === "" && definition.tape === undefined && definition.command === undefined;
  return [
    ...over.map(({ backend, field, most }) => ({
      path: [field],
      message: `${field} has ${definition[field].length} characters; ${backend} takes ${most}`,
    })),
    ...(isEmpty ? [{ path: ["prompt"], message: "it has no prompt" }] : []),
  ];
}

function lintInputs({ inputs, prompt, query = "", tape, command, source }: AgentDefinition): Lint[] {
  const text = `${prompt}\n${query}`;
  const used = new Set([...text.matchAll(/(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = ""]) => name));
  // Programs get their inputs otherwise, and other programs' prompts may show what only looks like one.
  if (tape !== undefined || command !== undefined || source !== undefined) return [];
  if (inputs.length === 0) {
    return [...used].map((name) => ({
      path: ["prompt"],
      message: `\${${name}} is filled in only if "inputs" declares it`,
    }));
  }
  return inputs.flatMap(({ name }, index) =>
    used.has(name) ? [] : [{ path: ["inputs", index, "name"], message: `the input "${name}" is used nowhere` }],
  );
}
