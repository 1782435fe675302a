// What goes on, while it goes on. On a terminal one line per running task, drawn again in place; elsewhere one
// line per event.
import type { Envelope, TaskView } from "../../schema/index.ts";
import type { Output } from "../output.ts";
import { type Lines, progress } from "../progress.ts";
import { newBoard } from "./board.ts";
import { canRedraw, openScreen, type Terminal } from "./screen.ts";

export interface Progress extends Lines {
  /** Lets somebody else use the terminal meanwhile: a question, for example. */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** Shows what is left to be shown, and leaves the terminal as it was. */
  stop(): void;
}

const FRAME_MS = 100;

export function liveProgress(
  out: Output,
  known: readonly TaskView[] = [],
  terminal: Terminal = process.stderr,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Progress {
  if (!canRedraw(terminal, env)) return plainProgress(out, known);
  const board = newBoard(out.colors, known);
  const screen = openScreen(terminal);
  let finished: string[] = [];
  let isAside = 0;
  const frame = () => {
    if (isAside > 0) return;
    screen.draw(board.lines(Date.now()), finished);
    finished = [];
  };
  const timer = setInterval(frame, FRAME_MS).unref();
  const show = (envelope: Envelope) => void finished.push(...board.take(envelope));
  return Object.assign(show, {
    waits: (stream: string, why: string) => board.waits(stream, why),
    async aside<T>(work: () => Promise<T>): Promise<T> {
      isAside += 1;
      screen.clear();
      try {
        return await work();
      } finally {
        isAside -= 1;
      }
    },
    stop() {
      clearInterval(timer);
      if (finished.length > 0) screen.draw([], finished);
      finished = [];
      screen.clear();
    },
  });
}

function plainProgress(out: Output, known: readonly TaskView[]): Progress {
  let held: string[] = [];
  let isAside = 0;
  const talk = (line: string) => (isAside > 0 ? void held.push(line) : out.talk(line));
  const release = () => {
    for (const line of held) out.talk(line);
    held = [];
  };
  return Object.assign(progress({ ...out, talk }, known), {
    async aside<T>(work: () => Promise<T>): Promise<T> {
      isAside += 1;
      try {
        return await work();
      } finally {
        isAside -= 1;
        if (isAside === 0) release();
      }
    },
    stop: release,
  });
}
