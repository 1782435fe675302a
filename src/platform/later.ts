/** Calls back when so much time has gone by, unless the process ends first: it is not kept alive for this. */
export function later(ms: number, callback: () => void): void {
  setTimeout(callback, ms).unref();
}
