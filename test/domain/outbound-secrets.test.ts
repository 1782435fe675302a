import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { carriesSecret } from "../../src/domain/outbound-secrets.ts";
import { redactor } from "../../src/domain/redaction.ts";
import { TOKENS } from "./tokens.ts";

const KNOWN = "hunter-2-hunter-3";
const secrets = redactor([["PASSWORD", KNOWN]]);
const carries = (text: string) => carriesSecret(text, (one) => secrets.text(one));

const WAYS: Record<string, (secret: string) => string> = {
  "as it is": (secret) => secret,
  "with percent signs": (secret) => encodeURIComponent(secret),
  "with a percent sign for every letter": (secret) =>
    [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "in base64": (secret) => Buffer.from(secret).toString("base64"),
  "in base64 for addresses": (secret) => Buffer.from(secret).toString("base64url"),
  "in base64, in the middle of more": (secret) => Buffer.from(`x=${secret}&y=1`).toString("base64"),
  "in base64, with percent signs": (secret) => encodeURIComponent(Buffer.from(secret).toString("base64")),
  "in base64, in lines": (secret) =>
    (
      Buffer.from(`1234:${secret}`)
        .toString("base64")
        .match(/.{1,20}/g) ?? []
    ).join("\n"),
  "in hexadecimal": (secret) => Buffer.from(secret).toString("hex"),
  "in hexadecimal, in the middle": (secret) => `a${Buffer.from(`:${secret}`).toString("hex")}0`,
};

describe.each(Object.entries(WAYS))("a secret %s", (_name, wrap) => {
  it("is found, be it known by its value or by its shape", () => {
    for (const secret of [KNOWN, TOKENS["github-token"]]) {
      expect(carries(`https://docs.example.org/?q=${wrap(secret)}&lang=en`)).toBe(true);
      expect(carries(`https://${wrap(secret)}.example.org/`)).toBe(true);
      expect(carries(JSON.stringify({ note: "see below", data: wrap(secret) }))).toBe(true);
    }
  });
});

it.each([
  "https://docs.example.org/a/b?q=some+words&page=2%20%zz",
  "https://cdn.example.org/4f2a9c0e1b7d4f2a9c0e1b7d4f2a9c0e/aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91.png",
  "%E0%A4%A",
  "",
])("nothing is found in %j", (text) => expect(carries(text)).toBe(false));
