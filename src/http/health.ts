import type { Route } from "./serve-http.ts";

/** That it lives, and nothing else: whoever asks has shown no token. */
export const health: Route = async ({ method }) =>
  method === "GET" ? Response.json({ status: "ok" }) : new Response(null, { status: 405, headers: { Allow: "GET" } });
