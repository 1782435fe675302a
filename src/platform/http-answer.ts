import type { HttpBody } from "./http-body.ts";

interface Head {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

/** A `Response` that becomes one only for whoever wants more than its head and a reader of its body. */
export class HttpAnswer implements Response {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: HttpBody | null;
  readonly type = "default";
  readonly redirected = false;
  #whole: Response | undefined;

  constructor({ url, status, statusText, headers }: Head, body: HttpBody | null) {
    this.url = url;
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get bodyUsed(): boolean {
    return this.#whole?.bodyUsed ?? this.body?.isUsed ?? false;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#asWhole().arrayBuffer();
  }

  async blob(): ReturnType<Response["blob"]> {
    return this.#asWhole().blob();
  }

  async bytes(): ReturnType<Response["bytes"]> {
    return this.#asWhole().bytes();
  }

  async formData(): ReturnType<Response["formData"]> {
    return this.#asWhole().formData();
  }

  async json(): Promise<unknown> {
    return this.#asWhole().json();
  }

  async text(): Promise<string> {
    return this.#asWhole().text();
  }

  clone(): Response {
    return this.#asWhole().clone();
  }

  #asWhole(): Response {
    this.#whole ??= new Response(this.body?.asStream() ?? null, this);
    return this.#whole;
  }
}
