import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a provider's package is loaded when a model of it is opened, and none before", async () => {
  const script = join(import.meta.dirname, "fixtures", "what-is-loaded.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  const { named, anthropic, openai } = JSON.parse(stdout) as Record<string, string[]>;
  expect(named).toEqual(["zod"]);
  expect(anthropic).toContain("@ai-sdk/anthropic");
  expect(anthropic).toContain("@pydantic/genai-prices");
  expect(anthropic).not.toContain("@ai-sdk/openai");
  expect(openai).toContain("@ai-sdk/openai");
  // The package that would send a model's bare name to a gateway on the network is never among them.
  expect(openai).not.toContain("ai");
});
