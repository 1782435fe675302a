// The web tools against servers of this machine.
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Attempt, AttemptScope, Tool, ToolResult } from "../../../src/ports/index.ts";
import { brandId, type Json } from "../../../src/schema/index.ts";
import { type FakeClock, fakeClock, fakeMint } from "../../../src/testing/index.ts";
import type { WebParts } from "../../../src/tools/web/web-parts.ts";
import { webTools } from "../../../src/tools/web/web-tools.ts";

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  readonly asked: IncomingMessage[];
}

export async function serve(answer: RequestListener): Promise<TestServer> {
  const asked: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, asked };
}

/** A server that always says the same. */
export const page = (body: string | Uint8Array, type = "text/html; charset=utf-8", status = 200): Promise<TestServer> =>
  serve((_, response) => void response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body));

export interface Web {
  readonly clock: FakeClock;
  readonly stop: AbortController;
  tool(name: string): Tool;
  run(name: string, input: Json): Promise<ToolResult>;
}

/** With 127.0.0.1 allowed, unless told otherwise. */
export async function openWeb(
  parts: Partial<WebParts> = {},
  redact: AttemptScope["redact"] = (value) => value,
): Promise<Web> {
  const clock = fakeClock();
  const stop = new AbortController();
  const box = webTools({
    clock,
    mint: fakeMint(),
    credentials: { value: async () => undefined },
    privateHosts: ["127.0.0.1"],
    ...parts,
  });
  const set = await box({} as Attempt, { signal: stop.signal, redact } as unknown as AttemptScope);
  onTestFinished(() => set[Symbol.asyncDispose]());
  const tool = (name: string): Tool => {
    const found = set.tools.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  return {
    clock,
    stop,
    tool,
    async run(name, input) {
      const plan = tool(name).plan(input);
      if (!plan.ok) throw new Error(`not planned: ${plan.problem}`);
      return tool(name).run(input, brandId("call", "1"));
    },
  };
}

/** What stands in the envelope. */
export function framed({ text }: ToolResult): string {
  const found = /<cadre:context source="[^"]*" trusted="false" nonce="token-\d+">\n([^]*)\n<\/cadre:context>$/.exec(
    text,
  );
  if (found?.[1] === undefined) throw new Error(`no envelope: ${text}`);
  return found[1];
}
