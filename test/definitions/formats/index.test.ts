import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../../../src/definitions/formats/format.ts";
import { loadFormat, PLACES } from "../../../src/definitions/formats/index.ts";

describe("the list of formats", () => {
  it.each(FORMATS)("has %s, which looks where the list says", async (id) => {
    const format = await loadFormat(id);
    expect(format.id).toBe(id);
    expect(format.label).not.toBe("");
    expect(PLACES[id]).toEqual(format.places);
  });

  it("has a writer for every format but Yeet's", async () => {
    const formats = await Promise.all(FORMATS.map(loadFormat));
    expect(formats.filter((format) => !("write" in format)).map(({ id }) => id)).toEqual(["yeet"]);
  });

  it("has no place twice", () => {
    const places = FORMATS.flatMap((id) => PLACES[id].map(({ of, path }) => `${of} ${path}`));
    expect(new Set(places).size).toBe(places.length);
  });

  it("loads no reader by being loaded itself", () => {
    const folder = new URL("../../../src/definitions/formats/", import.meta.url);
    for (const file of ["index.ts", "places.ts", "format.ts"]) {
      const text = readFileSync(new URL(file, folder), "utf8");
      const loaded = [...text.matchAll(/^(?:import|export) (?!type )[^;]*from "([^"]+)"/gm)].map(([, path]) => path);
      expect(loaded.filter((path) => path !== "./places.ts")).toEqual([]);
    }
  });
});
