// Why the proxy does not do what it was asked, in a sentence that a program may show and a model can act on.

export interface Problem {
  readonly status: number;
  readonly reason: string;
  readonly text: string;
}

class ProxyProblem extends Error implements Problem {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, text: string) {
    super(text);
    this.status = status;
    this.reason = reason;
  }

  get text(): string {
    return this.message;
  }
}

const REASONS: Readonly<Record<number, string>> = { 400: "Bad Request", 403: "Refused by Cadre", 502: "Bad Gateway" };

export const refuse = (status: 400 | 403 | 502, text: string): ProxyProblem =>
  new ProxyProblem(status, REASONS[status] ?? "", text);

export const asProblem = (error: unknown): Problem =>
  error instanceof ProxyProblem ? error : refuse(502, error instanceof Error ? error.message : String(error));
