// Commands that go on while the agent does something else, by ids such as `bash_1`.
import type { Clock, Exited } from "../../ports/index.ts";
import type { OutputWindow } from "./output-window.ts";
import type { StartedShell } from "./start-shell.ts";

export interface BackgroundShell {
  readonly id: string;
  readonly command: string;
  /** `null`: it is still running. */
  readonly exited: Exited | null;
  /** What it has written so far: its beginning and its end. */
  readonly output: string;
  /** What of it was not kept, in words. */
  readonly leftOut?: string | undefined;
}

/** For tools that take the ids of tasks and of these alike. Undefined: there is no such id here. */
export interface BackgroundShells {
  list(): readonly BackgroundShell[];
  /** As it is when it has ended, or after `waitMs`. */
  output(id: string, waitMs: number, signal: AbortSignal): Promise<BackgroundShell | undefined>;
  stop(id: string): Promise<BackgroundShell | undefined>;
}

interface Running {
  readonly id: string;
  readonly command: string;
  readonly shell: StartedShell;
  exited: Exited | null;
}

const MOST = 32;

export class ShellShelf implements BackgroundShells {
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #shells = new Map<string, Running>();
  #made = 0;

  /** An attempt that goes on with another's conversation has that one's ids in it: they must not mean its own. */
  constructor(clock: Clock, attempt: number) {
    this.#clock = clock;
    this.#prefix = attempt === 1 ? "bash" : `bash_${attempt}`;
  }

  get isFull(): boolean {
    return [...this.#shells.values()].filter(({ exited }) => exited === null).length >= MOST;
  }

  add(command: string, shell: StartedShell): string {
    this.#made += 1;
    const running: Running = { id: `${this.#prefix}_${this.#made}`, command, shell, exited: null };
    this.#shells.set(running.id, running);
    void shell.ended.then((exited) => (running.exited = exited));
    return running.id;
  }

  list(): readonly BackgroundShell[] {
    return [...this.#shells.values()].map(viewOf);
  }

  async output(id: string, waitMs: number, signal: AbortSignal): Promise<BackgroundShell | undefined> {
    const running = this.#shells.get(id);
    if (running === undefined) return undefined;
    const over = new AbortController();
    const wait = this.#clock.sleep(waitMs, AbortSignal.any([over.signal, signal]));
    await Promise.race([running.shell.ended, wait]);
    over.abort();
    return viewOf(running);
  }

  async stop(id: string): Promise<BackgroundShell | undefined> {
    const running = this.#shells.get(id);
    if (running === undefined) return undefined;
    if (running.exited === null) await running.shell.stop();
    return viewOf(running);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#shells.keys()].map((id) => this.stop(id)));
  }
}

const viewOf = ({ id, command, exited, shell }: Running): BackgroundShell => ({
  id,
  command,
  exited,
  output: shell.output.text,
  leftOut: leftOutOf(shell.output),
});

export const leftOutOf = ({ missing }: OutputWindow): string | undefined =>
  missing === 0 ? undefined : `${missing} bytes in the middle of the output were not kept`;
