import { redactor } from "../domain/redaction.ts";
import type { Credentials, Memory } from "../ports/index.ts";

/** The same memory, for everybody who adds to it: a secret that is known here is kept by its name only. */
export const redactedMemory = (memory: Memory, { known }: Pick<Credentials, "known">): Memory => ({
  ...memory,
  add: (entry) => memory.add({ ...entry, content: redactor(known()).text(entry.content) }),
});
