import type { BackgroundShell, BackgroundShells } from "../../../src/tools/bash/background-shells.ts";

/** Commands that run until they are stopped, by their ids, with what they have written. */
export function shelf(running: Readonly<Record<string, string>>): BackgroundShells {
  const stopped = new Set<string>();
  const view = (id: string): BackgroundShell | undefined => {
    const output = running[id];
    if (output === undefined) return undefined;
    return { id, command: "make", exited: stopped.has(id) ? { kind: "killed", signal: "SIGTERM" } : null, output };
  };
  return {
    list: () => Object.keys(running).flatMap((id) => view(id) ?? []),
    output: async (id) => view(id),
    stop: async (id) => {
      stopped.add(id);
      return view(id);
    },
  };
}
