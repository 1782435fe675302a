// The command line as it is on a terminal: a pseudo-terminal of 60 columns.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Place, Ran } from "./command-line.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
/** Of util-linux: it runs a program on a pseudo-terminal. */
const SCRIPT = "script";
export const hasScript = String(spawnSync(SCRIPT, ["--version"]).stdout).includes("util-linux");

export interface OnTerminal {
  readonly done: Promise<Pick<Ran, "exit" | "stdout">>;
  /** Its own, once it has started. */
  pid(): number;
  until(text: string): Promise<void>;
  type(text: string): void;
}

export function onTerminal({ project, env }: Place, ...args: readonly string[]): OnTerminal {
  const words = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn(SCRIPT, ["-qec", `stty cols 60 rows 12; exec ${words}`, "/dev/null"], {
    cwd: project,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    watchers.forEach((watcher) => watcher());
  });
  const done = new Promise<Pick<Ran, "exit" | "stdout">>((resolve) =>
    child.on("close", (exit) => resolve({ exit, stdout })),
  );
  return {
    done,
    pid: () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ", 1)[0]),
    type: (text) => void child.stdin.write(text),
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = () => (stdout.includes(text) ? resolve() : undefined);
        watchers.add(look);
        look();
        void done.then(() => reject(new Error(`ended without "${text}":\n${stdout}`)));
      }),
  };
}
