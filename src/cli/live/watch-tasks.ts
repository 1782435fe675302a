// A view of the tasks that is drawn again whenever something happens to them.
import { setTimeout as delay } from "node:timers/promises";
import type { Cadre } from "../../app/index.ts";
import type { TaskStatus, TaskView } from "../../schema/index.ts";
import { type Colors, colorsFor } from "../render/colors.ts";
import { canRedraw, openScreen, type Terminal } from "./screen.ts";

const FRAME_MS = 100;
/** How long a task that somebody else has started may stay unseen: nothing that is watched tells of it. */
const LOOK_AGAIN_MS = 500;

const UNFINISHED: ReadonlySet<TaskStatus> = new Set(["pending", "running", "waiting"]);

export interface Watched {
  readonly cadre: Cadre;
  list(): Promise<readonly TaskView[]>;
  render(tasks: readonly TaskView[], colors: Colors): string;
}

/** Until the signal is aborted. Where nothing can be drawn over, each state is written below the last. */
export async function watchTasks(
  watched: Watched,
  terminal: Terminal,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const screen = canRedraw(terminal, env) ? openScreen(terminal) : null;
  const colors = colorsFor(screen !== null && env["NO_COLOR"] === undefined);
  let shown: string | null = null;
  let seen = 0;
  while (!signal.aborted) {
    const tasks = await watched.list();
    const text = watched.render(tasks, colors);
    if (screen !== null) screen.draw(fitting(text.split("\n"), screen.height));
    else if (text !== shown) terminal.write(`${shown === null ? "" : "\n"}${text}\n`);
    shown = text;
    seen = Math.max(seen, ...tasks.map(({ position }) => position));
    const [position] = await Promise.all([change(watched.cadre, tasks, seen, signal), pause(FRAME_MS, signal)]);
    seen = position ?? seen;
  }
  screen?.clear();
  if (screen !== null && shown !== null) terminal.write(`${shown}\n`); // the last state stays
}

function fitting(lines: readonly string[], height: number): string[] {
  if (lines.length <= height) return [...lines];
  return [...lines.slice(0, height - 1), `… and ${lines.length - height + 1} more`];
}

/** Resolves when something happens to one of them, with its place; or when it is time to look for new ones. */
async function change(
  cadre: Cadre,
  tasks: readonly TaskView[],
  after: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  const open = tasks.filter(({ status }) => UNFINISHED.has(status));
  const next = open.map(async (task) => {
    for await (const { position } of cadre.tail(task, { after, signal: either })) return position;
    return pause(LOOK_AGAIN_MS, either);
  });
  try {
    return await Promise.race([pause(LOOK_AGAIN_MS, either), ...next]);
  } finally {
    enough.abort();
    await Promise.allSettled(next);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<undefined> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
