// One start of a CLI: its input, its lines, its stop, and what they come to. Judged by its last word and an answer that
// is not empty; never by its exit code alone.
import { oneLine } from "../../domain/summaries.ts";
import { systemClock } from "../../platform/system-clock.ts";
import type { AttemptScope, Command, Exited, Keep, Kept } from "../../ports/index.ts";
import type { FailReason, Json } from "../../schema/index.ts";
import type { Launch } from "./cli.ts";
import { reasonOf, retryAfterIn } from "./failure.ts";
import { parseObject } from "../driven/json-fields.ts";
import type { RawLog } from "../driven/raw-log.ts";
import { readLines } from "../driven/read-lines.ts";
import type { Said, Totals } from "./said.ts";
import type { Teller } from "./teller.ts";

const MEGABYTE = 1024 * 1024;
const LONGEST_LINE = 16 * MEGABYTE;
const STDERR_LINE = 4 * 1024;
const STDERR_LINES = 20;
const LINE_MAX = 500;

export type CliEnd =
  | { readonly kind: "answered"; readonly answer: string; readonly output: Json | undefined }
  | {
      readonly kind: "failed";
      readonly reason: FailReason;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    };

export interface CliRun {
  readonly end: CliEnd;
  /** As the CLI counts them: its whole conversation. */
  readonly totals: Totals | undefined;
}

export interface Start {
  readonly name: string;
  readonly keep: Keep;
  readonly command: Command;
  readonly launch: Launch;
  readonly scope: AttemptScope;
  readonly teller: Teller;
  readonly raw: RawLog;
  /** Told at once: from then on the conversation can be gone on with. */
  readonly onSession: (id: string) => void;
}

export async function runCli(start: Start): Promise<CliRun> {
  const { keep, command, launch, scope } = start;
  scope.signal.throwIfAborted();
  const program = keep.spawn(command);
  const hearing = new Hearing(start, program);
  const stop = () => {
    if (launch.stop.tell !== undefined) void program.write(launch.stop.tell);
    program.endInput();
    program.signal(launch.stop.signal);
  };
  scope.signal.addEventListener("abort", stop, { once: true });
  hearing.stop = stop;
  try {
    const complaints = lastLines(program.stderr, start.raw, launch.translator.plain?.err);
    const [exited, , stderr] = await Promise.all([
      program.exited,
      hearing.read(program.stdout, complaints),
      complaints,
      feed(program, launch),
    ]);
    return { end: hearing.end(exited, stderr), totals: hearing.totals };
  } finally {
    scope.signal.removeEventListener("abort", stop);
  }
}

async function feed(program: Kept, launch: Launch): Promise<void> {
  await program.write(launch.input);
  if (!launch.isDialogue) program.endInput();
}

class Hearing {
  readonly #start: Start;
  readonly #program: Kept;
  stop: () => void = () => undefined;
  totals: Totals | undefined;
  #end: CliEnd | undefined;
  #junk = 0;

  constructor(start: Start, program: Kept) {
    this.#start = start;
    this.#program = program;
  }

  /** To the end, whatever happens: a program that nobody reads does not end. */
  async read(stdout: AsyncIterable<Uint8Array>, complaints: Promise<unknown>): Promise<void> {
    const { launch, scope, teller, raw, name } = this.#start;
    const { plain } = launch.translator;
    let failure: Error | undefined;
    const inSpite = async (work: () => Promise<void>) => {
      if (failure !== undefined) return;
      try {
        await work();
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        this.stop(); // nothing that it says can be written down any more
      }
    };
    for await (const line of readLines(stdout, LONGEST_LINE, plain !== undefined)) {
      await inSpite(async () => {
        if (line.kind === "long") {
          return teller.note("warning", `a line of more than ${LONGEST_LINE} bytes from ${name} was left out`);
        }
        const object = plain === undefined ? parseObject(line.text) : undefined;
        raw.add("out", object ?? line.text);
        if (object === undefined && plain === undefined) return this.#takeJunk(line.text);
        const heard = object === undefined ? (plain?.out(line.text) ?? []) : launch.translator.take(object);
        for (const said of heard) await this.#take(said);
      });
    }
    await complaints; // some say only there that all went well
    await inSpite(async () => {
      for (const said of launch.translator.rest()) await this.#take(said);
      await teller.turnEnds();
      if (this.#junk > 0) await teller.note("info", `${this.#junk} lines from ${name} were no events of its protocol`);
    });
    if (failure !== undefined && !scope.signal.aborted) throw failure;
  }

  #takeJunk(text: string): void {
    this.#junk++;
    this.#start.scope.live({
      type: "output-delta",
      call: "stdout",
      text: `${oneLine(this.#start.teller.clean(text), LINE_MAX)}\n`,
    });
  }

  async #take(said: Said): Promise<void> {
    const { teller, launch, onSession, name } = this.#start;
    switch (said.kind) {
      case "session":
        return onSession(said.id);
      case "turn":
        await teller.turnBegins();
        if (launch.maxTurns !== undefined && teller.turns > launch.maxTurns) {
          this.#end = { kind: "failed", reason: "max_turns", message: `not done after ${launch.maxTurns} turns` };
          this.stop();
        }
        return;
      case "text":
        return teller.said(said.text);
      case "part":
        return teller.part(said);
      case "wants": {
        const { isAllowed, rule } = await teller.permit(said);
        return this.#program.write(said.reply(isAllowed, rule));
      }
      case "returned":
        await teller.returned(said);
        await this.#passOn();
        return;
      case "used":
        return teller.used(said);
      case "note":
        return teller.note(said.level, said.text);
      case "totals":
        this.totals = said.totals;
        return;
      case "answer":
        if (this.#end?.kind === "failed" && this.#end.reason === "max_turns") return;
        this.#end = { kind: "answered", answer: teller.clean(said.text), output: said.output };
        return;
      case "failure":
        if (this.#end?.kind === "failed" && this.#end.reason === "max_turns") return;
        this.#end = {
          kind: "failed",
          reason: said.reason,
          message: `${name}: ${oneLine(teller.clean(said.message), LINE_MAX)}`,
          retryAfterMs: retryAfterIn(said.message, systemClock.now()),
        };
        return;
      case "tell":
        return this.#program.write(said.text);
      case "idle":
        if (!(await this.#passOn())) this.#program.endInput();
    }
  }

  /** What people have sent meanwhile. */
  async #passOn(): Promise<boolean> {
    const { scope, launch } = this.#start;
    const { message } = launch;
    if (message === undefined) return false;
    const heard = await scope.hear();
    for (const { text } of heard) await this.#program.write(message(text));
    return heard.length > 0;
  }

  end(exited: Exited, stderr: readonly string[]): CliEnd {
    const { name, teller, launch } = this.#start;
    if (exited.kind === "unstarted") return { kind: "failed", reason: "backend_unavailable", message: exited.message };
    if (this.#end?.kind === "failed") return this.#end;
    const isOver = launch.translator.plain === undefined || (exited.kind === "exited" && exited.code === 0);
    if (isOver && this.#end !== undefined && (this.#end.answer.trim() !== "" || this.#end.output !== undefined))
      return this.#end;
    const last = stderr.findLast((line) => line.trim() !== "");
    const because = last === undefined ? "" : `: ${oneLine(teller.clean(last), LINE_MAX)}`;
    if (exited.kind === "killed")
      return { kind: "failed", reason: "crashed", message: `${name} was killed by ${exited.signal}${because}` };
    if (exited.code === 0)
      return { kind: "failed", reason: "no_completion", message: `${name} ended without an answer${because}` };
    return {
      kind: "failed",
      reason: reasonOf(undefined, stderr.join("\n")),
      message: `${name} ended with ${exited.code}${because}`,
    };
  }
}

async function lastLines(
  stream: AsyncIterable<Uint8Array>,
  raw: RawLog,
  tell: ((line: string) => void) | undefined,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of readLines(stream, STDERR_LINE)) {
    if (line.kind === "long") continue;
    raw.add("err", line.text);
    tell?.(line.text);
    lines.push(line.text);
    if (lines.length > STDERR_LINES) lines.shift();
  }
  return lines;
}
