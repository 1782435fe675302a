// A tool's program, from its start to its end: in custody, within its time, and with only so much of what it says.
import { capText, oneLine } from "../../domain/summaries.ts";
import { findProgram } from "../../platform/find-program.ts";
import type { Clock, Command, Exited, Keep, Kept } from "../../ports/index.ts";
import { Json } from "../../schema/index.ts";
import type { Manifest } from "./manifest.ts";

export interface ProgramRun {
  readonly manifest: Manifest;
  readonly command: Command;
  readonly stdin: string;
}

export interface ProgramPlace {
  readonly keep: Keep;
  /** The same command, held to the policy. */
  wrap(command: Command): Command;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What it writes, while it happens. */
  show?(text: string): void;
}

export interface ProgramEnd {
  readonly ok: boolean;
  readonly text: string;
  readonly json: Json | null;
  /** What it wrote beyond what is kept. */
  readonly leftOut?: string;
}

const KILOBYTE = 1024;
const STDERR_BYTES = 4 * KILOBYTE;
const LINE_MAX = 500;
/** How long a program may take to end by itself once it is told to. */
const GRACE_MS = 2000;

export async function runProgram({ manifest, command, stdin }: ProgramRun, place: ProgramPlace): Promise<ProgramEnd> {
  const { clock, signal } = place;
  if (signal.aborted) return fail("It was stopped before it began.");
  const found = findProgram(command.file, { cwd: command.cwd, path: command.env["PATH"] });
  if (!found.ok) return fail(`${manifest.name} cannot run: ${found.problem}`);
  const program = place.keep.spawn(place.wrap(command));
  const stdout = new Kilobytes(manifest.max_output_kb * KILOBYTE + 1);
  const stderr = new Kilobytes(STDERR_BYTES);
  const whole = Promise.all([
    program.exited,
    stdout.take(program.stdout, (text) => place.show?.(text)),
    stderr.take(program.stderr),
    feed(program, stdin),
  ]).then(([exited]) => exited);
  whole.catch(() => undefined); // it may be left behind, below
  const over = new AbortController();
  try {
    const exited = await Promise.race([whole, timeUp(clock, manifest.timeout_ms, signal, over.signal)]);
    if (exited !== null) return endOf(manifest, exited, stdout, stderr);
    program.signal("SIGTERM");
    const isEnded = await Promise.race([whole.then(() => true), clock.sleep(GRACE_MS, over.signal).then(() => false)]);
    const how = isEnded ? "was stopped" : "was told to stop, but has not ended yet: it is ended with the task";
    const why = signal.aborted ? how : `did not end within ${manifest.timeout_ms} ms, and ${how}`;
    return fail(`${manifest.name} ${why}.${saidSoFar(stdout)}`);
  } finally {
    over.abort();
  }
}

async function timeUp(clock: Clock, ms: number, signal: AbortSignal, over: AbortSignal): Promise<null> {
  await clock.sleep(ms, AbortSignal.any([signal, over]));
  return null;
}

async function feed(program: Kept, stdin: string): Promise<void> {
  if (stdin !== "") await program.write(stdin);
  program.endInput();
}

function endOf(manifest: Manifest, exited: Exited, stdout: Kilobytes, stderr: Kilobytes): ProgramEnd {
  const { name, output, max_output_kb: maxKb } = manifest;
  const last = stderr.text.split(/[\r\n]+/).findLast((line) => line.trim() !== "");
  const because = last === undefined ? "" : `: ${oneLine(last, LINE_MAX)}`;
  if (exited.kind === "unstarted") return fail(`${name} cannot run: ${exited.message}`);
  if (exited.kind === "killed") return fail(`${name} was killed by ${exited.signal}${because}${saidSoFar(stdout)}`);
  if (exited.code !== 0) return fail(`${name} exited with ${exited.code}${because}${saidSoFar(stdout)}`);
  const { text, truncated } = capText(stdout.text, maxKb);
  if (output === "json") return truncated ? fail(`${name} wrote more than ${maxKb} KB of JSON`) : jsonEnd(name, text);
  if (!truncated) return { ok: true, text, json: null };
  return {
    ok: true,
    text: `${text}\n(cut at ${maxKb} KB)`,
    json: null,
    leftOut: `only the first ${maxKb} KB that it wrote were kept`,
  };
}

function jsonEnd(name: string, text: string): ProgramEnd {
  try {
    return { ok: true, text: text.trim(), json: Json.parse(JSON.parse(text)) };
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "it is nested too deeply";
    return fail(`${name} should write one JSON value to standard output: ${oneLine(why, LINE_MAX)}`);
  }
}

const saidSoFar = (stdout: Kilobytes): string => {
  const { text } = capText(stdout.text, 4);
  return text.trim() === "" ? "" : `\nIt had written:\n${text}`;
};

const fail = (text: string): ProgramEnd => ({ ok: false, text, json: null });

/** The first bytes of a stream; all of it is read, so that whoever writes does not wait. */
class Kilobytes {
  readonly #max: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  async take(stream: AsyncIterable<Uint8Array>, show?: (text: string) => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const wanted = chunk.subarray(0, this.#max - this.#length);
      // A copy: a small part would keep all of a large chunk alive.
      if (wanted.length > 0) this.#chunks.push(Uint8Array.from(wanted));
      this.#length += wanted.length;
      if (wanted.length > 0) show?.(decoder.decode(wanted, { stream: true }));
    }
  }

  get text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#chunks));
  }
}
