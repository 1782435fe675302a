// An MCP server that wants a login, and its authorization server, on this machine.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

export interface Locked {
  readonly url: string;
  /** Method and path of all that was asked, with the form that came along. */
  readonly seen: { what: string; form: URLSearchParams; authorization: string | undefined; more: string | undefined }[];
  /** The tokens that it takes. */
  readonly good: Set<string>;
}

export interface LockedWishes {
  /** What it says as `iss` when a browser is sent back. */
  readonly iss?: (own: string) => string;
  /** Where a person is said to log in. */
  readonly authorize?: (own: string) => string;
  readonly issuer?: (own: string) => string;
}

export async function locked(wishes: LockedWishes = {}): Promise<Locked> {
  const [seen, good, challenges]: [Locked["seen"], Set<string>, Map<string, string>] = [[], new Set(), new Map()];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "locked", version: "1" });
    server.registerTool("hello", {}, async () => ({ content: [{ type: "text", text: `hello ${[...good].join()}` }] }));
    return server;
  });
  let [own, minted] = ["", 0];
  const tokens = () => {
    minted++;
    good.clear();
    good.add(`access-${minted}`);
    return {
      access_token: `access-${minted}`,
      refresh_token: `refresh-${minted}`,
      token_type: "Bearer",
      scope: "read",
    };
  };
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const to = new URL(request.url ?? "", own);
    const { authorization } = request.headers;
    const form = request.method === "GET" ? to.searchParams : new URLSearchParams(body);
    seen.push({
      what: `${request.method} ${to.pathname}`,
      form,
      authorization,
      more: request.headers["x-more"] as string,
    });
    const issuer = wishes.issuer?.(own) ?? own;
    switch (to.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, 200, {
          resource: `${own}/mcp`,
          authorization_servers: [own],
          scopes_supported: ["read"],
        });
      case "/.well-known/oauth-authorization-server":
        return json(response, 200, {
          issuer,
          authorization_endpoint: wishes.authorize?.(own) ?? `${own}/authorize`,
          token_endpoint: `${own}/token`,
          registration_endpoint: `${own}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
        });
      case "/register":
        return json(response, 201, { ...(JSON.parse(body) as object), client_id: "cadre-client" });
      case "/authorize": {
        const back = new URL(form.get("redirect_uri") ?? "");
        challenges.set("the-code", form.get("code_challenge") ?? "");
        back.search = String(
          new URLSearchParams({ code: "the-code", state: form.get("state") ?? "", iss: wishes.iss?.(own) ?? own }),
        );
        response.writeHead(302, { location: back.href });
        return void response.end();
      }
      case "/token": {
        const proof = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        const isGood =
          form.get("grant_type") === "refresh_token"
            ? form.get("refresh_token") === `refresh-${minted}`
            : challenges.get(form.get("code") ?? "") === proof;
        return isGood ? json(response, 200, tokens()) : json(response, 400, { error: "invalid_grant" });
      }
      case "/mcp": {
        if (!good.has(authorization?.replace("Bearer ", "") ?? "")) {
          response.writeHead(401, {
            "www-authenticate": `Bearer resource_metadata="${own}/.well-known/oauth-protected-resource/mcp"`,
          });
          return void response.end();
        }
        const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
        const init = { method: request.method ?? "GET", headers, ...(body === "" ? {} : { body }) };
        const said = await handler.fetch(new Request(to, init));
        response.writeHead(said.status, Object.fromEntries(said.headers));
        return void response.end(Buffer.from(await said.arrayBuffer()));
      }
      default:
        return json(response, 404, {});
    }
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${own}/mcp`, seen, good };
}

const json = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
