import { closeSync } from "node:fs";
import { mountTable } from "../platform/mount-table.ts";
import { later } from "../platform/later.ts";
import { systemClock } from "../platform/system-clock.ts";
import type { Command } from "../ports/index.ts";
import type { WorkerId } from "../schema/index.ts";
import type { Launcher } from "./launchers.ts";
import { markerOf, type Owner, waitingMarkerOf } from "./marker.ts";
import { NamespacedProgram } from "./namespaced-program.ts";
import { startProgram, startWaiting, type WaitingProgram } from "./program.ts";

/** How long one waits to be used, and how soon after each other starts have to come for one to be made ahead. */
const SOON_MS = 1_000;
/** What has not ended by then takes its time, and leaves this process idle. */
const QUICK_MS = 6;

interface Made {
  readonly marker: string;
  readonly program: WaitingProgram;
}

interface Waiting extends Made {
  readonly worker: WorkerId;
  /** What it sees mounted: a disk that came later would not be there. */
  readonly mounts: string;
}

/**
 * Starts programs, each in a namespace that no other program ever was or will be in. Making one takes longer
 * than starting a program in it. So where programs follow each other, one is made ahead while another runs.
 * It is in custody like any other, carries its worker's name, and ends with the worker.
 */
export class Namespaces {
  readonly #launcher: Launcher;
  readonly #orders: () => number | undefined;
  #waiting: Waiting | undefined;
  #made = 0;
  #lastStart = Number.NEGATIVE_INFINITY;

  constructor(launcher: Launcher, orders: () => number | undefined) {
    this.#launcher = launcher;
    this.#orders = orders;
  }

  start(command: Command, owner: Owner): NamespacedProgram {
    const { enter } = command;
    // What is to be entered first cannot be entered by what was made ahead.
    const order = enter === undefined ? this.#launcher.order(command) : undefined;
    const made = order === undefined ? undefined : (this.#take(owner.worker) ?? this.#make(owner.worker));
    if (order === undefined || made === undefined) {
      const marker = markerOf(owner);
      return new NamespacedProgram(startProgram({ ...this.#launcher.wrap(command, marker), enter }), marker);
    }
    const { program, marker } = made;
    program.tell(order);
    const now = systemClock.monotonic();
    // Making one holds up the event loop, for longer than a quick program takes: whoever waits for that one's end would
    // hear of it late.
    if (now - this.#lastStart < SOON_MS) later(QUICK_MS, () => this.#makeReady(owner.worker));
    this.#lastStart = now;
    return new NamespacedProgram(program, marker);
  }

  #take(worker: WorkerId): Waiting | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined || waiting.worker !== worker) return undefined;
    this.#waiting = undefined;
    if (!waiting.program.hasExited && waiting.mounts === mountTable()) return waiting;
    waiting.program.dismiss();
    return undefined;
  }

  #makeReady(worker: WorkerId): void {
    if (this.#waiting !== undefined) return;
    const waiting = this.#tryToMake(worker);
    this.#waiting = waiting;
    if (waiting === undefined) return;
    later(SOON_MS, () => {
      if (this.#waiting !== waiting) return;
      this.#waiting = undefined;
      waiting.program.dismiss();
    });
  }

  /** What cannot be made now (no memory, too many files) is said by the start that needs it. */
  #tryToMake(worker: WorkerId): Waiting | undefined {
    try {
      const mounts = mountTable();
      const made = this.#make(worker);
      return made === undefined ? undefined : { worker, mounts, ...made };
    } catch {
      return undefined;
    }
  }

  /** Nothing where there is no file for its orders: then every program is started as if none could be ordered. */
  #make(worker: WorkerId): Made | undefined {
    const orders = this.#orders();
    if (orders === undefined) return undefined;
    const marker = waitingMarkerOf(worker, ++this.#made);
    try {
      return { marker, program: startWaiting(this.#launcher.prepare(marker), orders) };
    } catch (error) {
      closeSync(orders);
      throw error;
    }
  }
}
