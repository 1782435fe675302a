import { readConfined, writeConfined } from "../platform/confined-files.ts";
import type { PreparedWorkspace } from "../ports/index.ts";

/** A folder that is worked in as it is: nothing is copied, and nothing is left to be kept. */
export const plainFolder = (root: string, base: string): PreparedWorkspace => ({
  root,
  base,
  reads: [],
  narrowed: [],
  files: {
    read: (file) => readConfined(root, file),
    write: (file, content) => writeConfined(root, file, content),
  },
  release: async () => null,
});
