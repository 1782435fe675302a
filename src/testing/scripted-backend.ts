import type { Attempt, AttemptScope, Backend, BackendEnd, Capabilities } from "../ports/index.ts";

export type Script = (attempt: Attempt, scope: AttemptScope) => Promise<BackendEnd>;

/**
 * A backend whose runs are functions, one per expected attempt. Strict both ways: a run more than scripted
 * fails that attempt, and `done()` fails on a script that was never run.
 */
export interface ScriptedBackend extends Backend {
  readonly starts: number;
  done(): void;
}

const CAPABLE: Capabilities = {
  resume: "none",
  approvals: true,
  steering: true,
  structuredOutput: true,
  toolFilter: true,
  usage: "per-call",
  largestPromptBytes: 1024 * 1024,
  processes: false,
  lastWords: false,
};

export function scriptedBackend(
  scripts: readonly Script[],
  options: { name?: string; capabilities?: Partial<Capabilities> } = {},
): ScriptedBackend {
  let starts = 0;
  return {
    name: options.name ?? "scripted",
    capabilities: { ...CAPABLE, ...options.capabilities },
    get starts() {
      return starts;
    },
    async run(attempt, scope) {
      const script = scripts[starts++];
      if (script === undefined)
        throw new Error(`the backend was started ${starts} times; ${scripts.length} were scripted`);
      return script(attempt, scope);
    },
    done() {
      if (starts < scripts.length)
        throw new Error(`the backend was started ${starts} times; ${scripts.length} were scripted`);
    },
  };
}

/** The simplest script: it has the answer. */
export const answers =
  (answer: string, output?: Extract<BackendEnd, { kind: "answered" }>["output"]): Script =>
  async () => ({ kind: "answered", answer, output });

/** Runs until it is ended. */
export const hangs = (): Script => () => new Promise(() => undefined);

/** Runs until it is asked to end, and then does. */
export const untilStopped =
  (): Script =>
  (_attempt, { signal }) =>
    new Promise((_resolve, reject) => {
      const end = () => reject(signal.reason);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
