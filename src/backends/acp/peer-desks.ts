// Everything that answers to one peer, put together.
import type { Attempt, AttemptScope, BackendEnd } from "../../ports/index.ts";
import type { ReadCommand } from "./command-lines.ts";
import type { UseParts } from "./foreign-use.ts";
import type { IsOwnCall } from "./own-call.ts";
import { fail } from "./peer-end.ts";
import { PeerFiles } from "./peer-files.ts";
import { PeerPlaces } from "./peer-places.ts";
import { PeerTalk } from "./peer-talk.ts";
import { PeerTerminals } from "./peer-terminals.ts";
import { PermitDesk } from "./permit-desk.ts";
import { ToolReports } from "./tool-reports.ts";
import { Updates } from "./updates.ts";

/** How the peer's words are read. */
export type Dialects = Pick<UseParts, "readCommand" | "dialect"> & { readonly isOwnCall: IsOwnCall };

export class PeerDesks implements AsyncDisposable {
  readonly talk: PeerTalk;
  readonly updates: Updates;
  /** The mode that the peer has to stay in. */
  heldMode: string | undefined;
  #broken: BackendEnd | undefined;
  readonly #breakOff = new AbortController();
  readonly #places: PeerPlaces;
  readonly #desk: PermitDesk;

  private constructor(
    attempt: Attempt,
    scope: AttemptScope,
    places: PeerPlaces,
    env: Readonly<Record<string, string>>,
    { readCommand: read, dialect, isOwnCall }: Dialects,
  ) {
    const git = attempt.confinement.label.commands === "os" ? "os" : "nothing";
    const readCommand: ReadCommand | undefined = read && ((line, root) => read(line, root, git));
    const { maxOutputKb, maxTurns } = attempt.task.spec.limits;
    this.#places = places;
    const desk = new PermitDesk(scope, this.#breakOff.signal);
    this.#desk = desk;
    const reports = new ToolReports(scope, desk, dialect, isOwnCall);
    this.updates = new Updates({
      scope,
      reports,
      maxOutputKb,
      maxTurns,
      onTooManyTurns: () => this.#break(fail("max_turns", `not done after ${maxTurns} turns`)),
      onMode: (mode) => this.#seeMode(mode),
    });
    const files = new PeerFiles(places, desk);
    const terminals = new PeerTerminals({ attempt, scope, places, desk, env, readCommand });
    this.talk = new PeerTalk({
      desk,
      places,
      reports,
      readCommand,
      dialect,
      isOwnCall,
      updates: this.updates,
      files,
      terminals,
    });
  }

  /** `env` is for programs that the peer has us start. */
  static async open(
    attempt: Attempt,
    scope: AttemptScope,
    env: Readonly<Record<string, string>>,
    dialects: Dialects,
  ): Promise<PeerDesks> {
    return new PeerDesks(attempt, scope, await PeerPlaces.open(attempt), env, dialects);
  }

  /** Aborted when the peer must not go on. */
  get breakOff(): AbortSignal {
    return this.#breakOff.signal;
  }

  /** How its part has ended, where that is ours to say. */
  get broken(): BackendEnd | undefined {
    return this.#broken;
  }

  /** What the peer was last refused, and why. */
  get refusal(): string | undefined {
    return this.#desk.refusal;
  }

  /** How often it was refused something. */
  get refusals(): number {
    return this.#desk.refusals;
  }

  #break(end: BackendEnd): void {
    this.#broken ??= end;
    this.#breakOff.abort();
  }

  #seeMode(mode: string): void {
    if (this.heldMode === undefined || mode === this.heldMode) return;
    const words = `the peer left the mode "${this.heldMode}", in which it is held, for "${mode.slice(0, 100)}"`;
    this.#break(fail("refused", words));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#places[Symbol.asyncDispose]();
  }
}
