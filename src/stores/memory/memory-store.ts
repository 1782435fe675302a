import type { Clock, Store } from "../../ports/index.ts";
import { EmbeddedStore } from "../embedded/embedded-store.ts";
import { MemoryTables } from "./memory-tables.ts";

/** The store for tests, demos and throw-away runs of the library: gone with its process. */
export const memoryStore = (clock: Pick<Clock, "now">): Store => new EmbeddedStore(new MemoryTables(), clock);
