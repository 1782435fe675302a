import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../../src/domain/redaction.ts";

const KEY = "sk-abcdefgh-12345";
const LONGER = `${KEY}-and-more`;
const secrets = redactor([
  ["API_KEY", KEY],
  ["OTHER_KEY", LONGER],
  ["QUOTED", 'pass"word\\x'],
  ["SHORT", "abc"],
]);

describe("known secrets", () => {
  it("are replaced by their names, the longer first", () => {
    expect(secrets.text(`a ${KEY} b ${LONGER} c`)).toBe("a {{secret:API_KEY}} b {{secret:OTHER_KEY}} c");
  });

  it("that are short are left alone: half of all words would be gone", () => {
    expect(secrets.text("abc")).toBe("abc");
  });

  it("are found in every text of a value, also where JSON writes them differently", () => {
    const value = { a: [KEY, 1, null], b: { c: 'x pass"word\\x y' } };
    expect(secrets.json(value)).toEqual({ a: ["{{secret:API_KEY}}", 1, null], b: { c: "x {{secret:QUOTED}} y" } });
  });

  it("a value that holds none stays itself", () => {
    const value = { a: ["nothing"] };
    expect(secrets.json(value)).toBe(value);
  });

  it("are found in whatever pieces a text comes", () => {
    const text = `before ${KEY} between ${LONGER} after sk-abc`;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 80 }), (sizes) => {
        const stream = secrets.stream();
        let out = "";
        let at = 0;
        for (const size of sizes) {
          out += stream.write(text.slice(at, at + size));
          at += size;
        }
        out += stream.write(text.slice(at)) + stream.flush();
        expect(out).not.toContain(KEY);
        expect(out.replaceAll("{{secret:OTHER_KEY}}", LONGER).replaceAll("{{secret:API_KEY}}", KEY)).toBe(text);
      }),
    );
  });
});
