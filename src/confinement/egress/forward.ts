import { connect, createServer, type Server, type Socket } from "node:net";
import type { ReachableHost } from "../../ports/index.ts";
import { join } from "./join.ts";

const MOST = 256;

/** Whoever comes in where this server listens is led to that one place. */
export function forwardTo(listening: Server, { host, port }: ReachableHost): Disposable {
  const open = new Set<Socket>();
  // Whoever has said all that he has to say may still want to hear.
  const door = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ host, port, allowHalfOpen: true });
    for (const socket of [inside, outside]) open.add(socket.once("close", () => open.delete(socket)));
    join(inside, outside);
  });
  door.maxConnections = MOST;
  door.listen(listening);
  return {
    [Symbol.dispose]() {
      door.close();
      for (const socket of open) socket.destroy();
    },
  };
}
