// Questions and answers through a folder that both sides can write: for where no socket leads from one to the other, out
// of a sandbox. Each is a file of its own, written beside and renamed into place. Whoever asks may be hostile: nothing
// in there is followed, what is too large is thrown away, and only so many are answered at a time.
import { type FSWatcher, mkdirSync, opendirSync, watch } from "node:fs";
import { invalidInput } from "../errors/index.ts";
import { OwnedFolder } from "./owned-folder.ts";
import { mintToken } from "./system-mint.ts";

/** More than the longest prompt, and in JSON. */
const ASK_MAX_BYTES = 32 * 1024 * 1024;
const ANSWER_MAX_BYTES = 256 * 1024 * 1024;
/** Many of those who ask wait, and take nothing but a place. */
const AT_ONCE = 64;
const BYTES_AT_ONCE = 64 * 1024 * 1024;
const SEEN_AT_ONCE = 256;
/** Watching tells at once, where it tells. */
const LOOK_EVERY_MS = 100;

const ASK = /^([\w-]{16,64})\.ask$/;
const askFile = (id: string): string => `${id}.ask`;
const answerFile = (id: string): string => `${id}.answer`;

/** Answers what comes until it is disposed of, which waits for answers under way and removes the folder. */
export function answerLetters(path: string, answer: (text: string) => Promise<string>): AsyncDisposable {
  const folder = new OwnedFolder(path);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const underWay = new Map<string, Promise<void>>();
  let bytes = 0;
  const handle = async (id: string): Promise<void> => {
    const read = folder.read(askFile(id), ASK_MAX_BYTES);
    const held = read.kind === "text" ? read.text.length : 0;
    bytes += held;
    try {
      await folder.remove(askFile(id));
      if (read.kind === "text") folder.replace(answerFile(id), await answer(read.text));
    } finally {
      bytes -= held;
    }
  };
  let isOpen = true;
  const look = (): void => {
    for (const name of isOpen ? someNames(path) : []) {
      const id = ASK.exec(name)?.[1];
      if (id === undefined || underWay.has(id) || underWay.size >= AT_ONCE || bytes >= BYTES_AT_ONCE) continue;
      const taken = handle(id).then(
        () => setImmediate(look), // there may have been more than were taken
        () => undefined, // the folder is the other side's too: it may have broken it, and would keep us busy
      );
      underWay.set(
        id,
        taken.then(() => void underWay.delete(id)),
      );
    }
  };
  const bell = lookOften(path, look);
  return {
    async [Symbol.asyncDispose]() {
      isOpen = false;
      bell[Symbol.dispose]();
      await Promise.all(underWay.values());
      await folder.remove(".");
    },
  };
}

/** Asks, and waits for the answer for as long as it takes. */
export async function sendLetter(path: string, text: string): Promise<string> {
  const length = Buffer.byteLength(text);
  if (length > ASK_MAX_BYTES)
    throw invalidInput(`what is asked has ${length} bytes; from inside a sandbox at most ${ASK_MAX_BYTES} are taken`, {
      hint: "Write it to a file of the workspace, and name the file.",
    });
  const folder = new OwnedFolder(path);
  const id = mintToken();
  const answered = Promise.withResolvers<string>();
  using _bell = lookOften(path, () => {
    const read = folder.read(answerFile(id), ANSWER_MAX_BYTES);
    if (read.kind === "text") answered.resolve(read.text);
    else if (read.kind !== "missing") answered.reject(new Error(`the answer cannot be read: ${read.kind}`));
  });
  folder.replace(askFile(id), text);
  const answer = await answered.promise;
  await folder.remove(answerFile(id));
  return answer;
}

function lookOften(path: string, look: () => void): Disposable {
  const timer = setInterval(look, LOOK_EVERY_MS);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path, look).on("error", () => watcher?.close());
  } catch {
    // No watcher to be had: the timer does.
  }
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** Not all of them: the other side may have made a million. */
function someNames(path: string): string[] {
  const names: string[] = [];
  try {
    using folder = opendirSync(path);
    for (let entry = folder.readSync(); entry !== null && names.length < SEEN_AT_ONCE; entry = folder.readSync())
      names.push(entry.name);
  } catch {
    // It is being removed.
  }
  return names;
}
