// Live output on its way to log files, where other processes can see it. Whoever produces it is never held
// up: what does not fit into the queue is dropped, and a line says how much.
import { onLine } from "../../domain/on-line.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { Ticker } from "../../platform/ticker.ts";
import { yielding } from "../../platform/yielding.ts";
import type { LiveParts } from "../../ports/index.ts";
import type { LivePart, TaskId } from "../../schema/index.ts";
import { dayFile, logFile } from "./layout.ts";
import { logLine } from "./log-text.ts";
import { because, Problems } from "./problems.ts";
import type { StateFileOptions } from "./state-writer.ts";

export interface LiveLogs extends Required<LiveParts>, AsyncDisposable {
  /** Writes everything that came before, also lines that are not finished. */
  flush(): Promise<void>;
}

const QUEUE_MAX = 1024 * 1024;
const LINE_MAX = 2000;
const DRAIN_EVERY_MS = 100;
/** An unfinished line is written as it is when its attempt is over, or nothing was added to it for this long. */
const IDLE_MS = 1000;

export const liveLogs = (options: StateFileOptions): LiveLogs => new LiveLogFiles(options);

const CHANNELS = ["stdout", "stderr"] as const;

interface Unfinished {
  readonly task: TaskId;
  readonly channel: (typeof CHANNELS)[number];
  readonly text: string;
  readonly since: number;
}

class LiveLogFiles implements LiveLogs {
  readonly #clock: StateFileOptions["clock"];
  readonly #folder: OwnedFolder;
  readonly #problems: Problems;
  readonly #ticker = new Ticker(DRAIN_EVERY_MS, () => this.#tick());
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #dropped = new Map<TaskId, number>();
  #ready = new Map<string, string[]>();
  #queued = 0;
  #drained: Promise<void> = Promise.resolve();
  readonly #breathe = yielding();

  constructor({ layout, clock, onProblem }: StateFileOptions) {
    this.#clock = clock;
    this.#folder = new OwnedFolder(layout.folders.logs);
    this.#problems = new Problems(onProblem);
  }

  write(task: TaskId, part: LivePart): void {
    if (part.text === "") return;
    if (this.#queued + part.text.length > QUEUE_MAX) {
      this.#dropped.set(task, (this.#dropped.get(task) ?? 0) + part.text.length);
    } else {
      this.#add(task, channelOf(part), part.text);
    }
    this.#ticker.wake();
  }

  over(task: TaskId): void {
    for (const channel of CHANNELS) this.#finishOne(keyOf(task, channel));
  }

  async flush(): Promise<void> {
    this.#finish(Number.POSITIVE_INFINITY);
    await this.#drain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ticker.stop();
    await this.flush();
  }

  #add(task: TaskId, channel: Unfinished["channel"], text: string): void {
    const key = keyOf(task, channel);
    const before = this.#unfinished.get(key)?.text ?? "";
    const lines = text.includes("\n") ? `${before}${text}`.split(/\r?\n/) : [`${before}${text}`];
    const last = lines.pop() ?? "";
    this.#queued += last.length - before.length;
    this.#unfinished.set(key, { task, channel, text: last, since: this.#clock.now() });
    for (const line of lines) this.#line(task, channel, line);
    if (last.length > LINE_MAX) this.#finishOne(key);
    else if (last === "") this.#unfinished.delete(key);
  }

  #line(task: TaskId, channel: Unfinished["channel"], text: string): void {
    const now = this.#clock.now();
    const shown = onLine(text, LINE_MAX);
    this.#queue(logFile(task), logLine(now, `| ${shown}`));
    this.#queue(dayFile(channel, now), logLine(now, `[${task}] ${shown}`));
  }

  #queue(file: string, line: string): void {
    const lines = this.#ready.get(file);
    if (lines === undefined) this.#ready.set(file, [line]);
    else lines.push(line);
    this.#queued += line.length;
  }

  #finish(until: number): void {
    for (const [key, { since }] of this.#unfinished) if (since <= until) this.#finishOne(key);
  }

  #finishOne(key: string): void {
    const unfinished = this.#unfinished.get(key);
    if (unfinished === undefined) return;
    this.#unfinished.delete(key);
    this.#queued -= unfinished.text.length;
    this.#line(unfinished.task, unfinished.channel, unfinished.text);
  }

  async #tick(): Promise<boolean> {
    this.#finish(this.#clock.now() - IDLE_MS);
    await this.#drain();
    return this.#unfinished.size > 0 || this.#ready.size > 0 || this.#dropped.size > 0;
  }

  #drain(): Promise<void> {
    this.#drained = this.#drained.then(() => this.#drainNow());
    return this.#drained;
  }

  async #drainNow(): Promise<void> {
    for (const [task, count] of this.#dropped) {
      this.#line(task, "stdout", `(${count} characters of live output were dropped: they came too fast)`);
    }
    this.#dropped.clear();
    const ready = this.#ready;
    this.#ready = new Map();
    for (const [file, lines] of ready) {
      const text = lines.join("");
      await this.#breathe();
      this.#append(file, text);
      this.#queued -= text.length;
    }
  }

  #append(file: string, text: string): void {
    const { error } = this.#folder.append(file, Buffer.from(text, "utf8"));
    if (error === null) this.#problems.clear("live");
    else this.#problems.raise("live", `${this.#folder.path}: live output is lost, ${because(error)}`);
  }
}

const keyOf = (task: TaskId, channel: Unfinished["channel"]): string => `${channel} ${task}`;

/** A backend that tells the two streams of its program apart names the second one so. */
const channelOf = (part: LivePart): Unfinished["channel"] =>
  part.type === "output-delta" && part.call === "stderr" ? "stderr" : "stdout";
