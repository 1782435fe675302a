import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../../src/domain/redaction.ts";
import { holdsShapeName, withoutShapes } from "../../src/domain/secret-shapes.ts";
import { TOKENS } from "./tokens.ts";

/** With what makes it one. */
const inPlace = (name: string): string => {
  const before: Record<string, string> = {
    "aws-secret": "AWS_SECRET_ACCESS_KEY = ",
    "slack-webhook": "https://hooks.slack.com/services/",
  };
  return `${before[name] ?? ""}${TOKENS[name]}`;
};

describe("tokens that nobody has told us of", () => {
  it.each(Object.entries(TOKENS))("%s is known by its shape, wherever it stands", (name, token) => {
    const place = `{{secret:${name}}}`;
    const [before, value] = name === "aws-secret" ? ["aws_secret_access_key = ", token] : ["", token];
    for (const [left, right] of [
      ["", ""],
      ["key: ", "\nnext"],
      ['{"a":"', '"}'],
      ["x=", ";"],
      ["     7\t", "\n     8\t"],
    ]) {
      const [start, end] =
        name === "slack-webhook" ? [`${left}https://hooks.slack.com/services/`, right] : [left, right];
      expect(withoutShapes(`${start}${before}${value}${end}`)).toBe(`${start}${before}${place}${end}`);
    }
    expect(holdsShapeName(place)).toBe(true);
  });

  it("a key of several lines goes as a whole: in a file, with the numbers of lines, in JSON, and without its end", () => {
    const key = TOKENS["private-key"];
    const numbered = key
      .split("\n")
      .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
      .join("\n");
    expect(withoutShapes(`a\n${numbered}\nb`)).toBe("a\n     1\t{{secret:private-key}}\nb");
    expect(withoutShapes(JSON.stringify({ key }))).toBe('{"key":"{{secret:private-key}}"}');
    const cut = key.split("\n").slice(0, 4).join("\n");
    expect(withoutShapes(`${cut}\n`)).toBe("{{secret:private-key}}");
  });

  it.each([
    "sk-learn and sk-short, sk-ant-is-not-a-key, task-proj-a",
    "the header -----BEGIN PRIVATE KEY----- alone, or -----BEGIN CERTIFICATE-----",
    "AKIA is a prefix; AKIAlowercase0000000 and XAKIAAAAAAAAAAAAAAAAA are none",
    "ghp_short, my_ghp_variable, github_pattern, npm_config_ignore_scripts, npm_package_name",
    "eyJhbGciOiJIUzI1NiJ9 alone, a.b.c, eyJ.eyJ.x",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "const AWS_SECRET_ACCESS_KEY = process.env.AWS_SECRET_ACCESS_KEY",
    "{{secret:GITHUB_TOKEN}} and {{secret:api_key}}",
    "xoxo, xai-like, hf_hub_download, SG.x, hvs.short, pypi-AgE",
  ])("is none: %s", (text) => {
    expect(withoutShapes(text)).toBe(text);
    expect(holdsShapeName(text)).toBe(false);
  });

  it("are found in whatever pieces a text comes, and the rest comes through as it was", () => {
    const names = Object.keys(TOKENS);
    const secrets = redactor([["KNOWN", "known-to-us-0123456789"]]);
    const pieces = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 4 }), pieces, (chosen, sizes) => {
        const text = `sk-ip known-to-us-0123456789 ${chosen.map((name) => `a ${inPlace(name)} b`).join(" ghp_ ")} eyJ end`;
        const stream = secrets.stream();
        let [out, at] = ["", 0];
        for (const size of sizes) {
          out += stream.write(text.slice(at, at + size));
          at += size;
        }
        out += stream.write(text.slice(at)) + stream.flush();
        expect(out).toBe(secrets.text(text));
      }),
    );
  });

  it.each(Object.keys(TOKENS))("%s is found also where it comes letter by letter", (name) => {
    const text = `first ${inPlace(name)}\nlast`;
    const stream = redactor([]).stream();
    expect(
      text
        .split("")
        .map((letter) => stream.write(letter))
        .join("") + stream.flush(),
    ).toBe(withoutShapes(text));
    expect(withoutShapes(text)).not.toContain(TOKENS[name]);
  });

  it("keys of PGP are longer than others, and go as a whole", () => {
    const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} PGP PRIVATE KEY BLOCK-----`);
    expect(withoutShapes(`${begin}\n\n${`${"lQdG".repeat(16)}\n`.repeat(200)}=abcd\n${end}`)).toBe(
      "{{secret:private-key}}",
    );
  });

  describe.each([11, 1000, 5000])("longer than anybody waits for, in pieces of %i:", (size) => {
    const streamed = (text: string, secrets = redactor([])) => {
      const stream = secrets.stream();
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      return pieces.map((piece) => stream.write(piece)).join("") + stream.flush();
    };
    const long = (length: number) => "aB3dE5gH7jK9mN2p".repeat(length / 16);

    it.each([
      ["in its first part", `eyJ${long(16_000)}.eyJ${long(64)}.${long(64)}`],
      ["in its second", `eyJ${long(32)}.eyJ${long(16_000)}.${long(64)}`],
      ["in its last", `eyJ${long(32)}.eyJ${long(64)}.${long(16_000)}`],
    ])("a token that is long %s is never shown", (_where, token) => {
      expect(streamed(`first ${token} last`)).toBe("first {{secret:long-token}} last");
      expect(streamed(`first ${token}`)).toBe("first {{secret:long-token}}");
      const both = `first ${token}\nsk-ip ${token}; ${TOKENS["github-token"]} last`;
      expect(streamed(both)).toBe(
        "first {{secret:long-token}}\nsk-ip {{secret:long-token}}; {{secret:github-token}} last",
      );
    });

    it("a value that is known does not end it, begin it, nor stop waiting", () => {
      const secrets = redactor([
        ["KNOWN", "known-to-us-0123456789"],
        ["LONG", `${long(9_600)} end`],
      ]);
      const token = `eyJ${long(32)}.eyJ${long(16_000)}known-to-us-0123456789${long(16_000)}.${long(64)}`;
      expect(streamed(`a ${token} b`, secrets)).toBe("a {{secret:long-token}} b");
      expect(streamed(`a ${long(9_600)} end b`, secrets)).toBe("a {{secret:LONG}} b");
    });

    it("a private key is never shown", () => {
      const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} PGP PRIVATE KEY BLOCK-----`);
      const lines = `${"lQdG".repeat(16)}\n`.repeat(1000);
      const key = `${begin}\nComment: mine\n\n${lines}lQdG\n=abcd\n${end}`;
      expect(withoutShapes(`a\n${key}\nb`)).toBe("a\n{{secret:private-key}}\nb");
      expect(streamed(`a\n${key}\nb`)).toBe("a\n{{secret:private-key}}\nb");
      expect(streamed(`a\n${begin}\n\n${lines}lQdG`)).toBe("a\n{{secret:private-key}}");
    });

    // As maps of sources and the like stand in a file: JSON, which begins like a web token does.
    const base64 = Buffer.from(JSON.stringify({ version: 3, code: "(a) => a>>b ?? 'ü' // ".repeat(700) })).toString(
      "base64",
    );

    it("base64 that begins as a token does comes through, once a sign shows that it is none", () => {
      expect(base64).toMatch(/^eyJ[A-Za-z0-9]+\+.{20000}/s);
      const text = `//# sourceMappingURL=data:application/json;base64,${base64}\nlast`;
      expect(streamed(text)).toBe(text);
    });

    it.each(["+", "/", "="])("a token right behind a %s in it does not", (sign) => {
      const token = `eyJ${long(32)}.eyJ${long(64)}.${long(48)}`;
      const begun = base64.slice(0, 600);
      expect(streamed(`a ${begun}${sign}${token} b`)).toBe(`a ${begun}${sign}{{secret:jwt}} b`);
      const endless = `eyJ${long(16_000)}.eyJ${long(64)}.${long(48)}`;
      expect(streamed(`a ${begun}${sign}${endless} b`)).toBe(`a ${begun}${sign}{{secret:long-token}} b`);
    });

    it("what is no secret comes through: certificates, words after the head of a key, a long line", () => {
      const certificate = `-----BEGIN CERTIFICATE-----\n${`${"lQdG".repeat(16)}\n`.repeat(1000)}-----END CERTIFICATE-----\n`;
      const words = `-----BEGIN PRIVATE KEY----- is how it begins. ${"So it is. ".repeat(5_000)}`;
      for (const text of [certificate, words, `a ${long(16_000)} b`]) expect(streamed(text)).toBe(text);
    });
  });

  it("are replaced in every text of a value", () => {
    const secrets = redactor([]);
    const token = TOKENS["github-token"];
    expect(secrets.json({ a: [token], [token]: 1 })).toEqual({
      a: ["{{secret:github-token}}"],
      "{{secret:github-token}}": 1,
    });
    const clean = { a: "nothing" };
    expect(secrets.json(clean)).toBe(clean);
  });
});
