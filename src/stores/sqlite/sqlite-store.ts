import type { Clock, Mint, Store } from "../../ports/index.ts";
import { EmbeddedStore } from "../embedded/embedded-store.ts";
import { Database } from "./database.ts";
import type { FileSystemOf } from "./far-away.ts";
import { SqliteTables } from "./sqlite-tables.ts";

/** The embedded default: one file that several processes share without a daemon. */
export async function sqliteStore(
  file: string,
  clock: Pick<Clock, "now">,
  mint: Pick<Mint, "token">,
  fileSystemOf?: FileSystemOf,
): Promise<Store> {
  const database = await Database.open(file, fileSystemOf);
  try {
    await database.migrate(() => database.run("INSERT INTO meta VALUES ('id', ?)", mint.token()));
    return new EmbeddedStore(new SqliteTables(file, database), clock);
  } catch (error) {
    await database.close();
    throw error;
  }
}
