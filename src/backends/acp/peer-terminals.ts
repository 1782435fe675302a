// Programs that a peer has us run for it: under the policy, in custody, with output that is capped.
import type { Attempt, AttemptScope, Exited, Kept } from "../../ports/index.ts";
import type { CallId } from "../../schema/index.ts";
import { realpath } from "node:fs/promises";
import { findProgram } from "../../platform/find-program.ts";
import { lineOf, quoted, type ReadCommand, useOfLine } from "./command-lines.ts";
import { CODES, RpcError } from "./connection.ts";
import { OfTerminal, TerminalWish } from "./messages.ts";
import type { PeerPlaces } from "./peer-places.ts";
import type { PermitDesk } from "./permit-desk.ts";
import { readParams } from "./read-params.ts";
import { TailText } from "./tail-text.ts";

const MAX_TERMINALS = 32;
const DEFAULT_OUTPUT = 256 * 1024;
const MAX_OUTPUT = 1024 * 1024;
const MAX_REPORTED = 16 * 1024;
const LIVE_BYTES = 8 * 1024;
const SHELL_SIGNS = /[\s;&|<>$`"'*?()#~\\]/;

interface Terminal {
  readonly program: Kept;
  readonly output: TailText;
  readonly ended: Promise<Exited>;
  status: ReturnType<typeof statusOf> | null;
}

export interface TerminalParts {
  readonly attempt: Pick<Attempt, "keep" | "confinement">;
  readonly scope: Pick<AttemptScope, "live" | "signal">;
  readonly places: PeerPlaces;
  readonly desk: PermitDesk;
  readonly env: Readonly<Record<string, string>>;
  readonly readCommand?: ReadCommand | undefined;
}

export class PeerTerminals {
  readonly #parts: TerminalParts;
  readonly #terminals = new Map<string, Terminal>();
  #count = 0;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  async create(params: unknown): Promise<{ terminalId: string }> {
    const { desk, places, readCommand } = this.#parts;
    const wish = readParams(TerminalWish, params);
    const { command, args, env } = wish;
    const words = [command, ...args];
    // A line of its own, without arguments, is meant for a shell.
    const isLine = words.length === 1 && SHELL_SIGNS.test(command);
    const line = isLine ? command : lineOf(words);
    const cwd = await this.#folder(wish.cwd);
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const hasOwn = Object.keys(variables).length > 0;
    const input = { command: isLine ? command : words.map(quoted).join(" "), ...(cwd.ok ? { cwd: cwd.path } : {}) };
    const isPlain = cwd.ok && cwd.path === places.root && !hasOwn;
    const use = useOfLine(line, places.root, isPlain, readCommand);
    return desk.inTurn(async () => {
      const problem = cwd.ok ? this.#fullness() : cwd.problem;
      const granted = isPlain ? ({ kind: "exec", subject: line } as const) : undefined;
      const call = await desk.admit(
        { tool: "Bash", input: hasOwn ? { ...input, env: variables } : input, ...use, problem },
        problem === undefined ? granted : undefined,
      );
      return this.#start(
        call,
        isLine ? ["/bin/sh", "-c", command] : words,
        cwd.ok ? cwd.path : places.root,
        variables,
        wish,
      );
    });
  }

  output(params: unknown): object {
    const { output, status } = this.#find(params);
    return { output: output.text, truncated: output.isCut, ...(status === null ? {} : { exitStatus: status }) };
  }

  async waitForExit(params: unknown): Promise<object> {
    return statusOf(await this.#find(params).ended);
  }

  kill(params: unknown): object {
    this.#find(params).program.signal("SIGTERM");
    return {};
  }

  /** It is ended, and its name means nothing any more. */
  release(params: unknown): object {
    const { terminalId } = readParams(OfTerminal, params);
    this.kill(params);
    this.#terminals.delete(terminalId);
    return {};
  }

  #find(params: unknown): Terminal {
    const { terminalId } = readParams(OfTerminal, params);
    const found = this.#terminals.get(terminalId);
    if (found === undefined) throw new RpcError(CODES.notFound, `there is no terminal ${terminalId.slice(0, 100)}`);
    return found;
  }

  #fullness(): string | undefined {
    return this.#terminals.size < MAX_TERMINALS
      ? undefined
      : `there are ${MAX_TERMINALS} terminals already: release one of them first`;
  }

  async #folder(cwd: string | undefined): Promise<{ ok: true; path: string } | { ok: false; problem: string }> {
    const { places } = this.#parts;
    if (cwd === undefined) return { ok: true, path: places.root };
    const place = places.locate(cwd);
    if (typeof place === "string") return { ok: false, problem: place };
    const real = await realpath(cwd).catch(() => undefined);
    if (real === undefined) return { ok: false, problem: `${cwd} does not exist` };
    const really = places.locate(real);
    if (typeof really === "string") return { ok: false, problem: `${cwd} leads out of the workspace` };
    return { ok: true, path: really.root.path === places.root && really.path === "." ? places.root : real };
  }

  async #start(
    call: CallId,
    words: readonly string[],
    cwd: string,
    variables: Readonly<Record<string, string>>,
    { outputByteLimit }: TerminalWish,
  ): Promise<{ terminalId: string }> {
    const { attempt, scope, desk, env } = this.#parts;
    scope.signal.throwIfAborted();
    const [file = "", ...args] = words;
    const all = { ...variables, ...env, ...("PATH" in variables ? { PATH: variables["PATH"] ?? "" } : {}) };
    const found = findProgram(file, { cwd, path: all["PATH"] });
    if (!found.ok) {
      await desk.returned(call, false, found.problem);
      throw new RpcError(CODES.notFound, found.problem);
    }
    const writes = env["HOME"] === undefined ? [] : [env["HOME"]]; // the session's own
    const program = attempt.keep.spawn(attempt.confinement.wrap({ file, args, cwd, env: all, writes }));
    program.endInput();
    const output = new TailText(Math.max(1, Math.min(outputByteLimit ?? DEFAULT_OUTPUT, MAX_OUTPUT)));
    const ended = this.#follow(call, program, output);
    const terminalId = `term-${++this.#count}`;
    const terminal: Terminal = { program, output, ended, status: null };
    void ended.then((exited) => (terminal.status = statusOf(exited)));
    this.#terminals.set(terminalId, terminal);
    return { terminalId };
  }

  /** Never rejects: the end of a terminal is nobody's failure but the program's. */
  async #follow(call: CallId, program: Kept, output: TailText): Promise<Exited> {
    const { scope, desk } = this.#parts;
    const read = async (stream: AsyncIterable<Uint8Array>) => {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      for await (const chunk of stream) {
        output.take(chunk);
        for (let at = 0; at < chunk.length; at += LIVE_BYTES) {
          const text = decoder.decode(chunk.subarray(at, at + LIVE_BYTES), { stream: true });
          if (text !== "") scope.live({ type: "output-delta", call, text });
        }
      }
    };
    const [exited] = await Promise.all([program.exited, read(program.stdout), read(program.stderr)]);
    if (exited.kind === "unstarted") output.take(Buffer.from(exited.message));
    const { text } = output;
    const ok = exited.kind === "exited" && exited.code === 0;
    await desk
      .returned(call, ok, text.slice(-MAX_REPORTED), text.length > MAX_REPORTED || output.isCut)
      .catch(() => undefined);
    return exited;
  }
}

const statusOf = (exited: Exited) => ({
  exitCode: exited.kind === "exited" ? exited.code : exited.kind === "unstarted" ? 127 : null,
  signal: exited.kind === "killed" ? exited.signal : null,
});
