// Our own server, with the tools that the suite wants: the same core, the same way in over HTTP, other tools.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  completable,
  inputRequired,
  inputResponse,
  type McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Cadre, openCadre } from "../../src/app/index.ts";
import { doorman } from "../../src/http/doorman.ts";
import { serveHttp } from "../../src/http/serve-http.ts";
import { callStates } from "../../src/mcp/call-state.ts";
import { mcpOverHttp } from "../../src/mcp/mcp-over-http.ts";
import { openCore } from "../../src/mcp/server-core.ts";
import { fixtureTools, PNG } from "./fixture-tools.ts";
import { AGENTS, TASK_TOOLS } from "./task-tools.ts";

export interface Fixture {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function openFixture(): Promise<Fixture> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-conformance-")));
  const [project, userHome] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(project, ".cadre", "agents"), { recursive: true });
  mkdirSync(join(userHome, ".cadre"), { recursive: true });
  writeFileSync(join(userHome, ".cadre", "config.yml"), "subagents:\n  rate_limit_per_min: 100000\n");
  for (const [name, content] of Object.entries(AGENTS)) writeFileSync(join(project, ".cadre", "agents", name), content);
  const env = { PATH: process.env["PATH"] ?? "" };
  const options = { cwd: project, userHome, env, trusted: [project] };
  const worker = await openCadre(options);
  const stop = new AbortController();
  // It stays for as long as the suite does.
  const working = worker.work({ until: "idle", lingerMs: 3_600_000 }, stop.signal);
  const open = async (): Promise<Cadre> => {
    const cadre = await openCadre({ ...options, mouth: "mcp", isPerson: false, askable: "inbox" });
    return { ...cadre, ensureWorker: async () => undefined, wakeWorker: async () => undefined };
  };
  const stateKey = randomBytes(32);
  const states = callStates(stateKey);
  const tools = () => [...fixtureTools(states), ...TASK_TOOLS];
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const core = openCore({ version: "0.0.0", dialect: "cadre", open, log, stateKey, tools });
  const over = mcpOverHttp({ ...core, make: (sessionOf) => withTheRest(core.make(sessionOf)) });
  const listening = await serveHttp({
    host: "127.0.0.1",
    port: 0,
    log,
    // The suite brings no token. All else of the door is there.
    doorman: doorman({ hosts: ["127.0.0.1", "localhost", "::1"], token: null, open: [] }),
    routes: { "/mcp": over.fetch },
  });
  return {
    url: `http://127.0.0.1:${listening.port}/mcp`,
    async close() {
      await listening.close();
      await over.close();
      stop.abort();
      await working;
      await worker.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** What our server has none of, and the suite wants: resources, prompts, completion. */
function withTheRest(mcp: McpServer): McpServer {
  mcp.server.registerCapabilities({ logging: {}, resources: { subscribe: true }, completions: {} });
  const plain = { mimeType: "text/plain" };
  mcp.registerResource("static-text", "test://static-text", plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: "This is the content of the static text resource." }],
  }));
  mcp.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: PNG }],
  }));
  mcp.registerResource("watched-resource", "test://watched-resource", plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: "watched" }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  mcp.registerResource("template", template, { mimeType: "application/json" }, ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
  mcp.server.setRequestHandler("resources/subscribe", async () => ({}));
  mcp.server.setRequestHandler("resources/unsubscribe", async () => ({}));

  const description = "For the suite";
  const said = (text: string) => ({ role: "user" as const, content: { type: "text" as const, text } });
  mcp.registerPrompt("test_simple_prompt", { description }, () => ({
    messages: [said("This is a simple prompt for testing.")],
  }));
  const argsSchema = z.object({
    arg1: completable(z.string(), (value) => ["paris", "park", "party"].filter((one) => one.startsWith(value))),
    arg2: z.string(),
  });
  mcp.registerPrompt("test_prompt_with_arguments", { description, argsSchema }, ({ arg1, arg2 }) => ({
    messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }));
  const resourceSchema = z.object({ resourceUri: z.string() });
  mcp.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description, argsSchema: resourceSchema },
    ({ resourceUri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
          },
        },
        said("Please process the embedded resource above."),
      ],
    }),
  );
  mcp.registerPrompt("test_prompt_with_image", { description }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: PNG, mimeType: "image/png" } },
      said("Please analyze the image above."),
    ],
  }));
  mcp.registerPrompt("test_input_required_result_prompt", { description }, ({ mcpReq }) => {
    const view = inputResponse(mcpReq.inputResponses, "user_context");
    if (view.kind === "elicit") return { messages: [said(`Context: ${JSON.stringify(view.content)}`)] };
    const message = "What context should the prompt use?";
    const requestedSchema = {
      type: "object" as const,
      properties: { context: { type: "string" as const } },
      required: ["context"],
    };
    return inputRequired({ inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema }) } });
  });
  return mcp;
}
