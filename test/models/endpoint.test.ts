import { describe, expect, test } from "vitest";
import { normalBaseUrl } from "../../src/models/endpoint.ts";
import { openModels } from "../../src/models/index.ts";
import { fakeClock } from "../../src/testing/index.ts";
import { ask, LINES, openLine, turn } from "./lines.ts";
import { say } from "./wire/index.ts";

describe("base URLs", () => {
  test.each([
    ["anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1"],
    ["anthropic", "https://api.anthropic.com/", "https://api.anthropic.com/v1"],
    ["anthropic", "https://api.anthropic.com/v1", "https://api.anthropic.com/v1"],
    ["anthropic", "https://gateway.test/anthropic", "https://gateway.test/anthropic/v1"],
    ["openai", "https://api.openai.com", "https://api.openai.com/v1"],
    ["openai", "https://api.openai.com/v1/", "https://api.openai.com/v1"],
    ["openai", "https://gateway.test/openai", "https://gateway.test/openai"],
    ["openai-chat", "http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"],
    ["google", "https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta"],
    ["google", "https://generativelanguage.googleapis.com/v1beta", "https://generativelanguage.googleapis.com/v1beta"],
    ["google", "https://generativelanguage.googleapis.com/v1", "https://generativelanguage.googleapis.com/v1"],
    ["compatible", "http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"],
    ["compatible", "https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1"],
  ] as const)("of %s, written %s, are %s", (wire, written, whole) => {
    expect(normalBaseUrl(written, wire, "HERE")).toBe(whole);
  });

  test.each([
    "",
    "api.anthropic.com",
    "ftp://host",
    "file:///etc/passwd",
    "https://user@host",
    "https://:pass@host",
    "https://host?key=1",
    "https://host#x",
  ])("%j is refused, without being repeated", (written) => {
    expect(() => normalBaseUrl(written, "anthropic", "ANTHROPIC_BASE_URL")).toThrow(/^ANTHROPIC_BASE_URL /);
  });

  test.each(LINES)("$provider is reached by either spelling", async (line) => {
    const version = line.format === "google" ? "/v1beta" : "/v1";
    for (const suffix of ["", "/", version, `${version}/`]) {
      const spelt = {
        ...line,
        env: (url: string) => line.env(`${url}${suffix}`),
        ...(line.settings === undefined ? {} : { settings: (url: string) => line.settings?.(`${url}${suffix}`) ?? {} }),
      };
      await using open = await openLine(spelt, [say("here")]);
      expect((await turn(open.model, ask("hi"))).text).toBe("here");
    }
  });

  test("a bad one in a variable is refused when a model is opened", async () => {
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "nonsense" };
    await expect(openModels({ env, clock: fakeClock() }).open("gpt")).rejects.toMatchObject({ code: "input.invalid" });
  });
});

test("nothing is taken from the process: its variables do not count", async () => {
  const line = LINES[0];
  if (line === undefined) throw new Error("there are no lines");
  process.env["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9";
  process.env["ANTHROPIC_API_KEY"] = "of-the-process";
  try {
    await using open = await openLine(line, [say("here")]);
    expect((await turn(open.model, ask("hi"))).text).toBe("here");
    expect(open.server.requests[0]?.said.key).toBe("key-0123456789");
    expect(openModels({ env: {}, clock: fakeClock() }).needs("sonnet").isMet).toBe(false);
  } finally {
    delete process.env["ANTHROPIC_BASE_URL"];
    delete process.env["ANTHROPIC_API_KEY"];
  }
});
