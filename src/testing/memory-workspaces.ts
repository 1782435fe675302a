import { invalidInput } from "../errors/index.ts";
import type { Workspaces } from "../ports/index.ts";

/** One shared folder that exists only in a map. */
export interface MemoryWorkspaces extends Workspaces {
  readonly files: Map<string, string>;
  /** How many were prepared and not released: an attempt that has ended leaves none. */
  readonly open: number;
}

export function memoryWorkspaces(files: Readonly<Record<string, string>> = {}): MemoryWorkspaces {
  const contents = new Map(Object.entries(files));
  let open = 0;
  return {
    modes: ["shared"],
    files: contents,
    get open() {
      return open;
    },
    async prepare() {
      open++;
      return {
        root: "/memory",
        files: {
          async read(path) {
            const text = contents.get(path);
            if (text === undefined) throw invalidInput(`${path} does not exist`);
            return text;
          },
          async write(path, content) {
            contents.set(path, content);
          },
        },
        async release() {
          open--;
        },
      };
    },
  };
}
