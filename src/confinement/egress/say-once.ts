import type { HostRefusal } from "../../ports/index.ts";

/** A program can ask for more hosts than anybody wants to read about. */
const MOST = 50;

/** Each host and port once, and so many of them. */
export function sayOnce(say: (refusal: HostRefusal) => void): (refusal: HostRefusal) => void {
  const said = new Set<string>();
  return (refusal) => {
    const key = `${refusal.host} ${refusal.port}`;
    if (said.has(key) || said.size >= MOST) return;
    said.add(key);
    say(refusal);
  };
}
