import { describe, expect, onTestFinished, test } from "vitest";
import { normalBaseUrl } from "../../src/models/endpoint.ts";
import { openModels } from "../../src/models/index.ts";
import { fakeClock } from "../../src/testing/index.ts";
import { ask, KEY, LINES, openLine, turn } from "./lines.ts";
import { say, startWireServer } from "./wire/index.ts";

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

  test("a bad one in a variable is refused when a model is opened, and known before", async () => {
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "nonsense" };
    const models = openModels({ env, clock: fakeClock() });
    expect(() => models.check("gpt")).toThrow("OPENAI_BASE_URL is not the address of an endpoint");
    await expect(models.open("gpt")).rejects.toMatchObject({ code: "input.invalid" });
  });

  test("one that is right is not objected to, and a key that is missing is", () => {
    const env: Record<string, string> = { OPENAI_BASE_URL: "http://127.0.0.1:8080" };
    const models = openModels({ env, clock: fakeClock() });
    expect(() => models.check("gpt")).toThrow(/^openai\/.* needs a key$/);
    env["OPENAI_API_KEY"] = "k";
    expect(() => models.check("gpt")).not.toThrow();
  });
});

async function serving(...given: Parameters<typeof startWireServer>) {
  const server = await startWireServer(...given);
  onTestFinished(() => server.close());
  return server;
}

describe("a model that is opened again", () => {
  test.each(LINES)("of $provider is the same one, until its key is another", async (line) => {
    const server = await serving(line.format, [say("one"), say("two")]);
    const env = line.env(server.url);
    const models = openModels({ env, settings: line.settings?.(server.url), clock: fakeClock() });
    const first = await models.open(line.model);
    await turn(first, ask("hi"));
    expect(await models.open(line.model)).toBe(first);

    const [variable = ""] = models.needs(line.model).found;
    env[variable] = "key-of-the-day-after";
    await turn(await models.open(line.model), ask("hi"));
    expect(server.requests.map(({ said }) => said.key)).toEqual([KEY, "key-of-the-day-after"]);

    delete env[variable];
    await expect(models.open(line.model)).rejects.toMatchObject({ code: "admission.refused" });
  });

  test("is reached where it is by then", async () => {
    const before = await serving("chat", [say("there")]);
    const now = await serving("chat", [say("here")]);
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: before.url };
    const models = openModels({ env, clock: fakeClock() });
    expect((await turn(await models.open("openai-chat/gpt-4.1"), ask("hi"))).text).toBe("there");
    env.OPENAI_BASE_URL = now.url;
    expect((await turn(await models.open("openai-chat/gpt-4.1"), ask("hi"))).text).toBe("here");
    env.OPENAI_BASE_URL = "nonsense";
    await expect(models.open("openai-chat/gpt-4.1")).rejects.toMatchObject({ code: "input.invalid" });
  });

  test("by another variable is told so in that one's way", async () => {
    const server = await serving("anthropic", [say("one"), say("two")]);
    const env: Record<string, string> = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
    const models = openModels({ env, clock: fakeClock() });
    await turn(await models.open("anthropic/claude-sonnet-5"), ask("hi"));
    delete env["ANTHROPIC_API_KEY"];
    env["ANTHROPIC_AUTH_TOKEN"] = KEY;
    await turn(await models.open("anthropic/claude-sonnet-5"), ask("hi"));
    expect(server.requests.map(({ headers }) => [headers["x-api-key"], headers["authorization"]])).toEqual([
      [KEY, undefined],
      [undefined, `Bearer ${KEY}`],
    ]);
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
