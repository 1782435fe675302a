import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { Clock, RegistryListing } from "../ports/index.ts";
import type { FolderWish } from "./agent-folder.ts";

const DEBOUNCE_MS = 100; // an editor writes more than once
const LOOK_EVERY_MS = 5_000; // a watcher may miss something, and trust is given elsewhere
const MAX_WATCHERS = 100;

export interface Watched {
  readonly list: () => Promise<RegistryListing>;
  readonly layers: readonly FolderWish[];
  readonly clock: Clock;
}

/**
 * Calls back once it listens, and when the listing is another one. What a watcher says is only a hint to look: unchanged
 * files are not read again, so looking is cheap, and a hint too many tells nobody anything.
 */
export async function watchListing(watched: Watched, onChange: () => void, signal: AbortSignal): Promise<void> {
  const { list, layers, clock } = watched;
  let last = await list();
  onChange(); // what came since the caller looked is in there already, and would not be another one
  while (!signal.aborted) {
    using hint = hintFrom(layers, signal);
    // Armed before looking: what changes meanwhile is seen by one or the other.
    const now = await list().catch(() => last);
    if (!isSame(now, last)) onChange();
    last = now;
    const wait = new AbortController();
    await Promise.race([hint.given, clock.sleep(LOOK_EVERY_MS, AbortSignal.any([signal, wait.signal]))]);
    wait.abort();
    await clock.sleep(DEBOUNCE_MS, signal);
  }
}

interface Hint extends Disposable {
  readonly given: Promise<void>;
}

/** Resolves once anything happens in one of the folders, or where one of them could appear. */
function hintFrom(layers: readonly FolderWish[], signal: AbortSignal): Hint {
  const { promise, resolve } = Promise.withResolvers<void>();
  const give = () => resolve();
  signal.addEventListener("abort", give, { once: true });
  const watchers = [...rootsOf(layers)].slice(0, MAX_WATCHERS).flatMap(([folder, deep]) => listen(folder, deep, give));
  return {
    given: promise,
    [Symbol.dispose]() {
      signal.removeEventListener("abort", give);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Each folder, or the nearest above it that there is; a folder that is not there is waited for, not searched for. */
function rootsOf(layers: readonly FolderWish[]): Map<string, boolean> {
  const roots = new Map<string, boolean>();
  for (const { folder, isRecursive = false } of layers) {
    let there = folder;
    while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
    roots.set(there, roots.get(there) === true || (isRecursive && there === folder));
  }
  return roots;
}

function listen(folder: string, recursive: boolean, give: () => void): FSWatcher[] {
  try {
    return [watch(folder, { recursive, persistent: true }, give).on("error", give)];
  } catch {
    return []; // no watcher to be had (a limit of the machine): looking now and then does
  }
}

/** Definitions are the same objects for as long as their files are the same. */
const isSame = (one: RegistryListing, other: RegistryListing): boolean =>
  one.agents.length === other.agents.length &&
  one.agents.every((agent, index) => {
    const before = other.agents[index];
    return (
      agent.definition === before?.definition && agent.trusted === before.trusted && agent.source === before.source
    );
  }) &&
  JSON.stringify(one.problems) === JSON.stringify(other.problems);
