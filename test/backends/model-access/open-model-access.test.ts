import { describe, expect, it, onTestFinished } from "vitest";
import { apiHosts } from "../../../src/backends/model-access/api-hosts.ts";
import { ANTHROPIC, GOOGLE, GOOSE_APIS, OPENAI } from "../../../src/backends/model-access/model-apis.ts";
import { type ModelAccess, openModelAccess } from "../../../src/backends/model-access/open-model-access.ts";
import type { ReachableHost } from "../../../src/ports/index.ts";

const KEY = "sk-real-and-secret";

const hostsOf = (...of: Parameters<typeof apiHosts>): string[] =>
  apiHosts(...of).map(({ host, port }) => `${host}:${port}`);

describe("the hosts of a model's API", () => {
  it("are its maker's, where a key is set", () => {
    expect(hostsOf([ANTHROPIC], { ANTHROPIC_API_KEY: KEY })).toEqual(["api.anthropic.com:443"]);
    expect(hostsOf([OPENAI], { CODEX_API_KEY: KEY })).toEqual(["api.openai.com:443"]);
    expect(hostsOf([GOOGLE], { GEMINI_API_KEY: KEY })).toEqual(["generativelanguage.googleapis.com:443"]);
  });

  it("are those of a login besides, where none is", () => {
    expect(hostsOf([OPENAI], {})).toEqual(["api.openai.com:443", "chatgpt.com:443", "auth.openai.com:443"]);
  });

  it.each([
    ["http://127.0.0.1:8099", "127.0.0.1:8099"],
    ["https://llm.corp.example/anthropic", "llm.corp.example:443"],
    ["http://[::1]:11434/v1", "::1:11434"],
  ])("are what the user's variable names instead: %s", (url, place) => {
    expect(hostsOf([ANTHROPIC], { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url })).toEqual([place]);
  });

  it("are none where the variable is no address", () => {
    expect(hostsOf([ANTHROPIC], { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "file:///etc/passwd" })).toEqual([]);
  });

  it("are of several APIs only those that have a key", () => {
    expect(hostsOf(GOOSE_APIS, { OLLAMA_HOST: "localhost:11434" })).toEqual(["localhost:11434"]);
    expect(hostsOf(GOOSE_APIS, { OPENAI_API_KEY: KEY, OPENAI_HOST: "http://127.0.0.1:9" })).toEqual(["127.0.0.1:9"]);
  });
});

describe("access to a model", () => {
  async function open(
    commands: "os" | "policy",
    variables: Record<string, string>,
    keyGateway = true,
  ): Promise<{ access: ModelAccess; reached: ReachableHost[] }> {
    const reached: ReachableHost[] = [];
    const confinement = {
      label: { commands, fileTools: "policy" as const },
      letReach: async (hosts: readonly ReachableHost[]) => void reached.push(...hosts),
    };
    const access = await openModelAccess({ apis: [ANTHROPIC], variables, confinement, keyGateway });
    onTestFinished(() => access[Symbol.asyncDispose]());
    return { access, reached };
  }

  it("keeps the key from a program that is confined, and lets it reach the gateway only", async () => {
    const { access, reached } = await open("os", { ANTHROPIC_API_KEY: KEY });
    expect(JSON.stringify(access.variables)).not.toContain(KEY);
    const url = new URL(access.variables["ANTHROPIC_BASE_URL"] ?? "");
    expect(reached).toEqual([{ host: "127.0.0.1", port: Number(url.port) }]);
    expect(access.variables["ANTHROPIC_API_KEY"]).toMatch(/^cadre-.{20,}/);
  });

  it("has another stand-in for every attempt", async () => {
    const [a, b] = [await open("os", { ANTHROPIC_API_KEY: KEY }), await open("os", { ANTHROPIC_API_KEY: KEY })];
    expect(a.access.variables["ANTHROPIC_API_KEY"]).not.toBe(b.access.variables["ANTHROPIC_API_KEY"]);
  });

  it("gives the key where its user wants that, and where nothing confines the program", async () => {
    const variables = { ANTHROPIC_API_KEY: KEY };
    const wanted = await open("os", variables, false);
    expect([wanted.access.variables, wanted.reached]).toEqual([variables, [{ host: "api.anthropic.com", port: 443 }]]);
    const bare = await open("policy", variables);
    expect([bare.access.variables, bare.reached]).toEqual([variables, []]);
  });

  it("leaves a login as it is", async () => {
    const variables = { CLAUDE_CODE_OAUTH_TOKEN: "oauth" };
    const { access, reached } = await open("os", variables);
    expect(access.variables).toEqual(variables);
    expect(reached.map(({ host }) => host)).toContain("platform.claude.com");
  });
});
