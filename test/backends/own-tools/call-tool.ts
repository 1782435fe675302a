// One call of a tool over HTTP, as a program would make it that is no library.
export interface OwnCall {
  readonly tool: string;
  readonly args: object;
}

/** What the tool said. */
export async function callTool(url: string, token: string, { tool, args }: OwnCall): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const answer = await fetch(url, { method: "POST", body, headers });
  return answer.text();
}
