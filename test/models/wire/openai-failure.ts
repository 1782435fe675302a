import type { WireFailure } from "./reply.ts";

const FAILURES: Readonly<Record<WireFailure, readonly [number, string, string | null, string]>> = {
  auth: [401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."],
  forbidden: [403, "invalid_request_error", null, "You do not have access to this project."],
  "not-found": [404, "invalid_request_error", "model_not_found", "The model `gpt-none` does not exist."],
  "rate-limited": [429, "requests", "rate_limit_exceeded", "Rate limit reached for requests."],
  "server-error": [500, "server_error", null, "The server had an error while processing your request."],
  overloaded: [503, "server_error", "overloaded", "The engine is currently overloaded, please try again later."],
  overflow: [
    400,
    "invalid_request_error",
    "context_length_exceeded",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  ],
  "bad-request": [400, "invalid_request_error", null, "Invalid value for 'input'."],
};

export function openaiFailure(kind: WireFailure, said: string | undefined) {
  const [status, type, code, message] = FAILURES[kind];
  return { status, body: { error: { message: said ?? message, type, param: null, code } } };
}
