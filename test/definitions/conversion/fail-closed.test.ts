// Whatever restricts an agent, and whoever it is written for: it comes back, or the conversion says so and stops.
import { describe, expect, test } from "vitest";
import { exportAgent, restrictionsLost } from "../../../src/definitions/conversion/export-agent.ts";
import type { Format } from "../../../src/definitions/formats/format.ts";
import { FORMATS } from "../../../src/definitions/formats/format.ts";
import { loadFormat } from "../../../src/definitions/formats/index.ts";
import type { AgentDefinition } from "../../../src/schema/index.ts";
import { RESTRICTIONS, type Restriction } from "./restrictions.ts";

const ALL = await Promise.all(FORMATS.map((id) => loadFormat(id)));
const WRITABLE = ALL.filter((format) => format.write !== undefined);

/** What the other program makes of it, by its own reader. */
function readBack(format: Format, definition: AgentDefinition): AgentDefinition {
  const written = format.write?.(definition) ?? { file: "", text: "" };
  const below = written.file.split("/").at(-1) ?? "";
  const [reading] = format.read({ path: below, below, text: written.text });
  if (reading?.ok !== true) throw new Error(`${format.id} does not read what it writes: ${written.text}`);
  return reading.definition;
}

function lostFields(format: Format, { definition }: Restriction): string[] {
  const exported = exportAgent(definition, format, undefined);
  return exported.ok ? restrictionsLost(exported.remarks).map(({ field }) => field) : ["all"];
}

describe.each(WRITABLE)("$id:", (format) => {
  test.each(RESTRICTIONS)("$kind is kept, or its loss is found", (restriction) => {
    const isKept = restriction.holds(readBack(format, restriction.definition));
    const lost = lostFields(format, restriction);
    if (isKept) return;
    expect(lost, `${restriction.kind} is lost in ${format.id}, and nobody says so`).toContain(restriction.field);
  });
});

/** Every program asks if nobody has told it not to. */
const NEVER_LOST: readonly string[] = ["mode default", "mode acceptEdits"];

test("every other kind of restriction is lost somewhere: the cases above can fail", () => {
  for (const restriction of RESTRICTIONS.filter(({ kind }) => !NEVER_LOST.includes(kind))) {
    const losing = WRITABLE.filter((format) => lostFields(format, restriction).includes(restriction.field));
    expect(
      losing.map(({ id }) => id),
      restriction.kind,
    ).not.toEqual([]);
  }
});
