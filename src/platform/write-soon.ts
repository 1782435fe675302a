// Small files, written beside the event loop. To make a file waits for the disk's journal, and that for whatever is flushed:
// it was seen to take ten times as long as everything else. By Node's callbacks: its promises keep the processor
// busy for longer than the writing. To look at a file that is open, to put a little into it and to close it waits for nothing,
// and takes less than to ask somebody else to do it.
import { closeSync, fstatSync, open, rename, type Stats, write, writeSync } from "node:fs";
import { promisify } from "node:util";

const opened = promisify(open);
const wrote = promisify(write) as (
  file: number,
  bytes: Buffer,
  offset: number,
) => Promise<{ readonly bytesWritten: number }>;

/** It goes into memory, as a commit of the store does. More than this may have to wait until there is room. */
const LITTLE_BYTES = 64 * 1024;

export const renameSoon = promisify(rename);

export interface Place {
  readonly path: string;
  readonly flags: number;
  readonly mode: number;
  /** Throws where the file that was opened is not one to write to. */
  readonly check?: ((info: Stats) => void) | undefined;
}

/** `onWritten`: how many bytes so far. */
export async function writeSoon(
  { path, flags, mode, check }: Place,
  bytes: Buffer,
  onWritten?: (done: number) => void,
): Promise<void> {
  const file = await opened(path, flags, mode);
  try {
    check?.(fstatSync(file));
    for (let done = 0; done < bytes.length; onWritten?.(done)) {
      done +=
        bytes.length <= LITTLE_BYTES ? writeSync(file, bytes, done) : (await wrote(file, bytes, done)).bytesWritten;
    }
  } finally {
    closeSync(file);
  }
}
