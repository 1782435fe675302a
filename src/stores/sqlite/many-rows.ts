import type { Database, Value } from "./database.ts";

const AT_ONCE = 16;

/** Several rows at a time: to call SQLite costs more than what it then does. `head`: all before `VALUES`. */
export function writerOfMany(head: string, columns: number) {
  const row = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
  /** By how many rows they have. */
  const statements = Array.from(
    { length: AT_ONCE + 1 },
    (_, count) => `${head} VALUES ${Array.from({ length: count }, () => row).join(", ")}`,
  );
  return (database: Database, rows: readonly (readonly Value[])[]): void => {
    for (let from = 0; from < rows.length; from += AT_ONCE) {
      const some = rows.slice(from, from + AT_ONCE);
      const values: Value[] = [];
      for (const columnsOfOne of some) values.push(...columnsOfOne); // `flat` takes three times as long
      database.run(statements[some.length] ?? "", ...values);
    }
  };
}
