// Any agent that the schema allows: every field, with texts that YAML finds hard.
import * as fc from "fast-check";
import { AgentDefinition } from "../../src/schema/index.ts";

const line = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "null",
    "1",
    "yes",
    "a: b",
    "# a",
    "- a",
    "---",
    "a\n---\nb",
    "\r\n",
    " a",
    "a ",
    "\ta",
    "*a",
    "${x}",
  ),
);
const text = fc.oneof(
  line,
  fc.array(line, { maxLength: 4 }).map((lines) => lines.join("\n")),
);
const some = fc.oneof(
  line.filter((one) => one !== ""),
  fc.constant("a"),
);
const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const backend = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const words = fc.array(some, { maxLength: 3 });
const json = fc
  .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('"__proto__"', '"proto"')) as Record<string, unknown>);

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const input = fc.record({
  name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,6}$/),
  type: fc.constantFrom("string", "number", "integer", "boolean"),
  description: optional(text),
  required: optional(fc.boolean()),
  default: optional(fc.oneof(text, fc.integer(), fc.boolean())),
});

const fields = {
  name,
  description: some,
  display_name: optional(text),
  capabilities: optional(
    fc.uniqueArray(fc.constantFrom("primary", "subtask", "watcher", "orchestrator"), { minLength: 1 }),
  ),
  backend: optional(fc.oneof(backend, fc.array(backend, { minLength: 1, maxLength: 3 }))),
  tape: optional(
    fc.array(fc.oneof(fc.record({ say: text }), fc.record({ answer: text, output: json })), { maxLength: 2 }),
  ),
  command: optional(fc.array(some, { minLength: 1, maxLength: 3 })),
  model: optional(some),
  temperature: optional(fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0)),
  effort: optional(fc.constantFrom("low", "medium", "high", "xhigh", "max")),
  prompt: optional(text),
  query: optional(some),
  output: optional(fc.record({ name: optional(text), description: optional(text), schema: json })),
  tools: optional(
    fc.oneof(
      words,
      fc.record({ mode: fc.constantFrom("allowlist", "denylist"), allow: words, ask: words, deny: words }),
    ),
  ),
  permission_mode: optional(fc.constantFrom("plan", "denyUnasked", "default", "acceptEdits", "auto")),
  policy: optional(
    fc.record({
      fs: optional(fc.record({ read: optional(words), write: optional(words) })),
      network: optional(fc.oneof(fc.boolean(), words)),
      env: optional(fc.record({ allow: words })),
    }),
  ),
  workspace: optional(
    fc.record({
      mode: fc.constantFrom("shared", "worktree", "sandbox", "custom"),
      path: optional(text),
      allow_writes: fc.boolean(),
    }),
  ),
  max_turns: optional(fc.integer({ min: 1 })),
  timeout_mins: optional(fc.double({ min: 0.001, max: 1e21, noNaN: true })),
  budget_usd: optional(fc.double({ min: 1e-7, max: 1_000_000, noNaN: true })),
  completion: optional(
    fc.record({
      exits: optional(fc.constantFrom(["complete_task"], ["ask_for_help", "message_user"])),
      gates: fc.array(
        fc.oneof(fc.record({ command: fc.array(some, { minLength: 1 }) }), fc.record({ name: some, agent: name })),
        { maxLength: 2 },
      ),
      nudges: fc.integer({ min: 0, max: 20 }),
    }),
  ),
  background: optional(fc.boolean()),
  memory: optional(fc.constantFrom("none", "project", "user")),
  retry: optional(
    fc.record({ attempts: fc.integer({ min: 1, max: 10 }), on: fc.constantFrom([], ["crashed", "timeout"]) }),
  ),
  source: optional(fc.record({ from: some, file: some, sha256: optional(text) })),
  x: optional(fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/), json, { maxKeys: 2 })),
};

const isDeclared = (template: string | undefined, names: readonly string[]): boolean =>
  names.length === 0 || [...(template ?? "").matchAll(/\$\{(\w+)\}/g)].every(([, used = ""]) => names.includes(used));

/** Files that declare inputs may use no other names: those are not made. */
export const anyDefinition: fc.Arbitrary<AgentDefinition> = fc
  .record({ ...fields, inputs: fc.uniqueArray(input, { maxLength: 3, selector: (one) => one.name }) })
  .filter(({ prompt, query, inputs }) => {
    const names = inputs.map((one) => one.name);
    return isDeclared(prompt, names) && isDeclared(query, names);
  })
  .map((definition) => AgentDefinition.parse(JSON.parse(JSON.stringify(definition))));
