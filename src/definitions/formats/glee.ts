// Glee: one YAML file per agent. Its sub-agents write nothing and reach no network unless told otherwise, as ours.
import { AgentInput, type AgentDefinition, BackendName, type Json, type JsonObject } from "../../schema/index.ts";
import type { ForeignFile, Format, Reading, Remark, Written } from "./format.ts";
import { asideOf, buildReading, refuse, wordsIn } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { nameToWrite, readIdentity } from "./lenient/identity.ts";
import { isObject } from "./lenient/json-value.ts";
import { ourAllowed, theirAllowed } from "./lenient/map-tools.ts";
import { fileStem } from "./lenient/names.ts";
import { parseYaml } from "./lenient/parse-yaml.ts";
import { isTooBig, TOO_BIG } from "./lenient/read-markdown.ts";
import { allowedOnly, rightsOf, toolListOf } from "./lenient/rights.ts";
import { mapped } from "./lenient/settings.ts";
import { inOrder, writeYaml } from "./lenient/write-markdown.ts";
import { PLACES } from "./places.ts";

const ENDINGS = [".yml", ".yaml"];
const KEYS: ReadonlySet<string> = new Set(
  "name description agent prompt source timeout_mins max_output_kb inputs tools".split(" "),
);
const DEFAULT_MINUTES = 5;
/** The prompt is part of the YAML. */
const MAX_BYTES = 128 * 1024;

export const glee: Format = {
  id: "glee",
  label: "Glee",
  places: PLACES.glee,
  read: (file) => [readGlee(file)],
  write: writeGlee,
};

function readGlee(file: ForeignFile): Reading {
  if (isTooBig(file.text)) return refuse(TOO_BIG);
  const yaml = parseYaml(file.text.replace(/^\uFEFF/, ""), { keys: KEYS, maxBytes: MAX_BYTES });
  if (!yaml.ok) return refuse(yaml.problem);
  const remarks: Remark[] = [...yaml.remarks];
  const fields = fieldsOf(yaml.value, remarks, KEYS);
  const identity = readIdentity(fields, remarks, { program: "Glee", stem: fileStem(file.below, ENDINGS) });
  if (!identity.ok) return refuse(identity.problem);
  const { name, display_name, description } = identity;
  const inputs = readInputs(fields.take("inputs"));
  if (typeof inputs === "string") return refuse(`${name}: ${inputs}`);
  const prompt = fields.text("prompt");
  if (prompt === undefined) return refuse(`${name}: it has no prompt, so Glee does not take it`);
  const draft = {
    name,
    display_name,
    description,
    prompt,
    inputs,
    backend: readBackend(fields, remarks),
    tools: readTools(fields, remarks),
    timeout_mins: fields.count("timeout_mins") ?? DEFAULT_MINUTES,
    max_output_kb: fields.whole("max_output_kb"),
  };
  const source = fields.take("source"); // where Glee had it from; ours says where we had it from
  if (source !== undefined) fields.keep("source", source);
  const { aside, remarks: others } = fields.aside();
  return buildReading("glee", draft, aside, [...remarks, ...others]);
}

function readBackend(fields: Fields, remarks: Remark[]): string | undefined {
  const agent = fields.text("agent");
  if (agent === undefined) return undefined;
  if (!BackendName.safeParse(agent).success) {
    fields.keep("agent", agent);
    return undefined;
  }
  remarks.push(mapped("agent", `agent is the backend ${agent}`));
  return agent;
}

function readTools(fields: Fields, remarks: Remark[]) {
  const words = fields.tools("tools");
  if (words === undefined) return undefined;
  const { tools, aside, remarks: more } = ourAllowed("glee", words.allowed);
  if (aside.length > 0) fields.keep("tools", [...aside]);
  remarks.push(...more);
  return toolListOf(tools, []);
}

/** Or what is wrong with them. */
function readInputs(given: Json | undefined): AgentInput[] | string {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return "inputs is not a list";
  const inputs: AgentInput[] = [];
  for (const [index, one] of given.entries()) {
    const known = isObject(one) ? pick(one, ["name", "type", "description", "required", "default"]) : one;
    const input = AgentInput.safeParse(known);
    if (!input.success) return `inputs: number ${index + 1}: ${input.error.issues[0]?.message ?? "it is no input"}`;
    inputs.push(input.data);
  }
  return inputs;
}

const pick = (object: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key, value]) => keys.includes(key) && value !== null));

function writeGlee(definition: AgentDefinition): Written {
  const { backend, inputs, source } = definition;
  const aside = asideOf(definition, "glee");
  const allow = allowedOnly(rightsOf(definition.tools));
  const agent = typeof backend === "string" ? backend : backend?.[0];
  const settings = inOrder(
    {
      name: nameToWrite(definition.name, aside),
      description: definition.description,
      agent: agent ?? aside["agent"],
      prompt: definition.prompt,
      source: sourceToWrite(source, aside),
      // Glee takes five minutes where nothing is said; so do we.
      timeout_mins: definition.timeout_mins === DEFAULT_MINUTES ? undefined : definition.timeout_mins,
      max_output_kb: definition.max_output_kb,
      inputs: inputs.length === 0 ? undefined : inputs.map((input) => inOrder({ ...input })),
      tools: allow === undefined ? undefined : theirAllowed("glee", allow, wordsIn(aside, "tools")),
    },
    aside,
  );
  return { file: `${definition.name}.yml`, text: writeYaml(settings) };
}

/** Only agents that Glee took over from another program have one. */
function sourceToWrite(source: AgentDefinition["source"], aside: JsonObject): Json | undefined {
  if (source === undefined || source.from === "glee") return aside["source"];
  return inOrder({ from: source.from, file: source.file, imported_at: source.imported_at });
}
