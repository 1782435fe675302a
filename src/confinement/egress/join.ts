import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";

/** Both ways, as fast as the slower side takes it. What breaks on one side ends on the other. */
export function join(one: Duplex, other: Duplex): void {
  const end = (error: unknown): void => {
    if (error === undefined || error === null) return;
    one.destroy();
    other.destroy();
  };
  pipeline(one, other, end);
  pipeline(other, one, end);
}
