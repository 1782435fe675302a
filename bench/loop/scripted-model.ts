import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The scripted model, in a process of its own. */
export class ScriptedModel implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  static async start(): Promise<ScriptedModel> {
    const child = fork(fileURLToPath(new URL("model-server.ts", import.meta.url)), { stdio: "inherit" });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a program of ours, beside this one
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return new ScriptedModel(child, port);
  }

  /** What answers after so long. */
  after(ms: number): string {
    return `http://127.0.0.1:${this.#port}${ms === 0 ? "" : `/${ms}`}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}
