// The tables of docs/reference/agent-formats.md, as the code has them.
import { exportAgent } from "../../../src/definitions/conversion/export-agent.ts";
import { type Format, type FormatPlace, FORMATS } from "../../../src/definitions/formats/format.ts";
import { loadFormat, PLACES } from "../../../src/definitions/formats/index.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";
import { RESTRICTIONS } from "./restrictions.ts";

const FIELDS: readonly (readonly [field: string, change: object])[] = [
  ["prompt", {}],
  ["display_name", { display_name: "The Probe" }],
  ["model", { model: "anthropic/claude-sonnet-4-5" }],
  ["temperature", { temperature: 0.3 }],
  ["top_p", { top_p: 0.9 }],
  ["effort", { effort: "high" }],
  ["query", { query: "Look at it" }],
  [
    "inputs",
    { inputs: [{ name: "target", type: "string", description: "What", required: true }], prompt: "Look at ${target}." },
  ],
  ["output", { output: { schema: { type: "object", properties: { ok: { type: "boolean" } } } } }],
  [
    "mcp_servers",
    {
      mcp_servers: { issues: { command: "issue-server" } },
      tools: ["Read", "mcp__issues__*"],
      workspace: { mode: "shared" },
    },
  ],
  ["background", { background: true }],
  ["retry", { retry: { attempts: 2, on: ["crashed"] } }],
];

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`.replaceAll(/ {2,}/g, " ");
const head = (cells: readonly string[]): string => `${line(cells)}\n${line(cells.map(() => "---"))}`;

function lost(format: Format, definition: AgentDefinition): string[] {
  const exported = exportAgent(definition, format, undefined);
  return exported.ok ? exported.remarks.filter(({ kind }) => kind === "lost").map(({ field }) => field) : ["prompt"];
}

export async function placesTable(): Promise<string> {
  const formats = await Promise.all(FORMATS.map((id) => loadFormat(id)));
  const listed = (places: readonly FormatPlace[], of: FormatPlace["of"], root: string): string =>
    places
      .filter((place) => place.of === of)
      .map(({ path, isFile, isRecursive, endings }) => {
        const files = isFile === true ? "" : `/${isRecursive === true ? "**/" : ""}*`;
        return `\`${root}${path}${files}${files === "" ? "" : endings.length === 1 ? (endings[0] ?? "") : ""}\``;
      })
      .join(", ");
  const rows = formats.map(({ id, label }) => {
    const places = PLACES[id];
    return line([`\`${id}\``, label, listed(places, "project", ""), listed(places, "user", "~/")]);
  });
  return [head(["`--from`, `--to`", "program", "in the project", "of the user"]), ...rows].join("\n");
}

async function keptTable(
  first: string,
  rows: readonly (readonly [string, string, AgentDefinition])[],
): Promise<string> {
  const formats = (await Promise.all(FORMATS.map((id) => loadFormat(id)))).filter(
    (format) => format.write !== undefined,
  );
  const lines = rows.map(([name, field, definition]) =>
    line([name, ...formats.map((format) => (lost(format, definition).includes(field) ? "" : "kept"))]),
  );
  return [head([first, ...formats.map(({ id }) => id)]), ...lines].join("\n");
}

export const fieldsTable = (): Promise<string> =>
  keptTable(
    "field",
    FIELDS.map(([field, change]) => {
      const base = { name: "probe", description: "Shows what becomes of a field", prompt: "Do it." };
      return [`\`${field}\``, field, AgentDefinition.parse({ ...base, ...change })];
    }),
  );

export const restrictionsTable = (): Promise<string> =>
  keptTable(
    "restriction",
    RESTRICTIONS.map(({ kind, field, definition }) => [kind, field, definition]),
  );
