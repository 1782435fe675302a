import { describe, expect, test } from "vitest";
import { exportAgent, restrictionsLost } from "../../../src/definitions/conversion/export-agent.ts";
import type { Format, Reading, Remark } from "../../../src/definitions/formats/format.ts";
import type { AgentDefinition } from "../../../src/schema/index.ts";
import { define } from "../formats/foreign.ts";

/** A format that reads back whatever the test says. */
const formatThat = (read: (definition: AgentDefinition) => readonly Reading[]): Format => {
  let written = define({});
  return {
    id: "claude",
    label: "Some program",
    places: [],
    write(definition) {
      written = definition;
      return { file: "../elsewhere/a.md", text: "text" };
    },
    read: () => read(written),
  };
};

const narrowing: Remark = { kind: "narrowed", field: "hooks", message: "they may allow more" };
const narrows = formatThat((definition) => [{ ok: true, definition, remarks: [narrowing] }]);

describe("what its reader narrows is wider in the file:", () => {
  test("that is a restriction lost, for an agent that never came from such a file", () => {
    const exported = exportAgent(define({}), narrows, undefined);
    expect(exported.ok && restrictionsLost(exported.remarks)).toMatchObject([{ field: "hooks" }]);
  });

  test("and as it was, for one that did", () => {
    const exported = exportAgent(define({ x: { claude: { hooks: {} } } }), narrows, undefined);
    expect(exported.ok && restrictionsLost(exported.remarks)).toEqual([]);
  });
});

test.each([
  ["nothing", formatThat(() => []), "Some program would not take it"],
  ["a problem", formatThat(() => [{ ok: false, problem: "no" }]), "Some program would not take it: no"],
  [
    "two agents",
    formatThat((definition) => [
      { ok: true, definition, remarks: [] },
      { ok: true, definition, remarks: [] },
    ]),
    "Some program would not take it",
  ],
])("what is read back as %s is not exported, whatever is allowed", (_, format, problem) => {
  expect(exportAgent(define({}), format, undefined)).toEqual({ ok: false, problem });
});

test("a file has a name, and no folder", () => {
  const exported = exportAgent(define({}), narrows, undefined);
  expect(exported).toMatchObject({ ok: true, file: "a.md" });
});

test("Cadre's own loop is not written down for another program", () => {
  const backends: unknown[] = [];
  const format = formatThat((definition) => {
    backends.push(definition.backend);
    return [{ ok: true, definition, remarks: [] }];
  });
  for (const backend of ["native", ["claude", "native"], undefined])
    exportAgent(define({ backend }), format, undefined);
  expect(backends).toEqual([undefined, ["claude"], undefined]);
});
