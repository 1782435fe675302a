import { describe, expect, test } from "vitest";
import { CadreError } from "../../src/errors/index.ts";
import { type ModelSettingsInput, modelVariables, openModels } from "../../src/models/index.ts";
import { fakeClock } from "../../src/testing/index.ts";

const models = (settings: ModelSettingsInput = {}, env: Record<string, string> = {}) =>
  openModels({ env, settings, clock: fakeClock() });

function refusal(run: () => unknown): CadreError {
  try {
    run();
  } catch (error) {
    if (error instanceof CadreError) return error;
  }
  throw new Error("nothing was refused");
}

describe("names of models", () => {
  test.each([
    ["anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5"],
    ["claude-3-7-sonnet-latest", "anthropic/claude-3-7-sonnet-latest"],
    ["gpt-5.6", "openai/gpt-5.6"],
    ["o3", "openai/o3"],
    ["o4-mini", "openai/o4-mini"],
    ["openai-chat/gpt-4o", "openai-chat/gpt-4o"],
    ["gemini-2.5-pro", "google/gemini-2.5-pro"],
    ["gemini/gemini-2.5-pro", "google/gemini-2.5-pro"],
    ["Anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5"],
    ["sonnet", "anthropic/claude-sonnet-5"],
    ["Opus", "anthropic/claude-opus-5-5"],
    ["anthropic/sonnet", "anthropic/claude-sonnet-5"],
    ["gemini/flash", "google/gemini-3.8-flash"],
    ["openai/sonnet", "openai/sonnet"],
    ["  haiku ", "anthropic/claude-haiku-4-5"],
  ])("%s is %s", (name, whole) => {
    expect(models().resolve(name)).toBe(whole);
  });

  test.each([
    ["sonet", "sonnet"],
    ["hiku", "haiku"],
    ["antropic/claude-sonnet-5", "anthropic"],
  ])("%s is unknown, and %s is what was meant", (name, meant) => {
    const error = refusal(() => models().resolve(name));
    expect(error.message).toContain(name);
    expect(error.hint).toContain(`Did you mean "${meant}"?`);
  });

  test.each([
    "",
    " ",
    "llama-3",
    "inherit",
    "anthropic/",
    "anthropic/ ",
    "/x",
    "anthropic/../x y",
    "constructor",
    "toString/x",
  ])("%j is no model", (name) => {
    expect(refusal(() => models().resolve(name)).code).toBe("input.invalid");
  });

  test("the user's own come first, and may lead to others", () => {
    const own = models({
      aliases: { Sonnet: "opus", fast: "local/llama" },
      providers: { local: { base_url: "http://h" } },
    });
    expect(own.resolve("sonnet")).toBe("anthropic/claude-opus-5-5");
    expect(own.resolve("FAST")).toBe("local/llama");
    expect(own.resolve("local/org/model:7b")).toBe("local/org/model:7b");
  });

  test("aliases that lead in a circle are refused", () => {
    const error = refusal(() => models({ aliases: { a: "b", b: "a" } }).resolve("a"));
    expect(error.message).toContain("leads to other aliases");
  });
});

describe("the user's settings", () => {
  test.each<[string, unknown]>([
    ["models.providers.local.url", { providers: { local: { url: "http://h" } } }],
    ["models.providers.anthropic", { providers: { anthropic: { base_url: "http://h" } } }],
    ["models.providers.local.key", { providers: { local: { base_url: "http://h", key: "sk-123 456" } } }],
    ["models.prices.sonnet.input", { prices: { sonnet: { input: -1, output: 1 } } }],
    ["sonet", { prices: { sonet: { input: 1, output: 1 } } }],
    ["models.limits.sonnet.context_tokens", { limits: { sonnet: { context_tokens: 0 } } }],
  ])("a mistake at %s is refused by name", (where, settings) => {
    const { code, message } = refusal(() => models(settings as ModelSettingsInput));
    expect(code).toBe("input.invalid");
    const last = where.split(".").at(-1) ?? where;
    expect(message).toContain(last);
  });

  test("a key in the place of a variable's name is not repeated", () => {
    const error = refusal(() => models({ providers: { local: { base_url: "http://h", key: "sk-secret-1" } } }));
    expect(JSON.stringify([error.message, error.hint, error.facts])).not.toContain("sk-secret-1");
  });
});

describe("what a model needs", () => {
  test("is any one of its provider's variables", () => {
    expect(models().needs("sonnet")).toEqual({
      name: "anthropic/claude-sonnet-5",
      anyOf: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
      found: [],
      isMet: false,
    });
    const env = { ANTHROPIC_AUTH_TOKEN: "t", GOOGLE_GENERATIVE_AI_API_KEY: "g", OPENAI_API_KEY: " " };
    expect(models({}, env).needs("sonnet")).toMatchObject({ found: ["ANTHROPIC_AUTH_TOKEN"], isMet: true });
    expect(models({}, env).needs("flash")).toMatchObject({ found: ["GOOGLE_GENERATIVE_AI_API_KEY"], isMet: true });
    expect(models({}, env).needs("gpt")).toMatchObject({ anyOf: ["OPENAI_API_KEY"], found: [], isMet: false });
  });

  test("is what the user declared for an endpoint, or nothing", () => {
    const own = models({
      providers: { local: { base_url: "http://h" }, paid: { base_url: "http://p", key: "PAID_KEY" } },
    });
    expect(own.needs("local/m")).toMatchObject({ anyOf: [], isMet: true });
    expect(own.needs("paid/m")).toMatchObject({ anyOf: ["PAID_KEY"], isMet: false });
  });

  test("is all among the variables that a caller is told of", () => {
    expect(modelVariables({ providers: { paid: { base_url: "http://p", key: "PAID_KEY" } } })).toEqual([
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "ANTHROPIC_BASE_URL",
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      "GEMINI_API_KEY",
      "GOOGLE_GENERATIVE_AI_API_KEY",
      "GOOGLE_GEMINI_BASE_URL",
      "PAID_KEY",
    ]);
  });

  test("is asked for when the model is opened without it", async () => {
    await expect(models().open("sonnet")).rejects.toMatchObject({
      code: "admission.refused",
      hint: "Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in your environment.",
    });
  });
});
