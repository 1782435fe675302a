// A child process with its three pipes, such as both tiers start it.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { type ProcessRef, readProcess } from "../platform/proc-table.ts";
import type { Command, Kept } from "../ports/index.ts";
import { byteStream } from "./byte-stream.ts";

/** As Node saw it end. Through a launcher this is not yet how the program itself ended. */
export type ChildExit =
  | { readonly kind: "exit"; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: "error"; readonly message: string };

export interface Program extends Pick<Kept, "stdout" | "stderr" | "write" | "endInput"> {
  /** The very process that was started: the program, or its launcher. */
  readonly ref: ProcessRef | undefined;
  readonly exit: Promise<ChildExit>;
  readonly hasExited: boolean;
  /** Lets go of the pipes, whatever is still in them. */
  release(): void;
}

/** Started ahead of what it is for. Until it is told, it keeps nobody's process from ending. */
export interface WaitingProgram extends Program {
  /** Once, and before any other input. */
  tell(order: string): void;
  /** Instead: it has nothing to do, and ends. */
  dismiss(): void;
}

/** Leads a session, and so a group, of its own: no terminal reaches it, and its number finds what it leads. */
export function startProgram({ file, args, cwd, env, enter = [] }: Command): Program {
  const [first, ...others] = [...enter, file];
  return programOf(spawn(first ?? file, [...others, ...args], { cwd, env: { ...env }, stdio: "pipe", detached: true }));
}

/** `orders`: an open file, for what it is to be told; it has it by the number that comes after those of its pipes. */
export function startWaiting({ file, args, cwd, env }: Command, orders: number): WaitingProgram {
  const stdio = ["pipe", "pipe", "pipe", orders] as const;
  const child = spawn(file, args, { cwd, env: { ...env }, stdio: [...stdio], detached: true });
  if (!hasPipes(child)) throw new Error(`${file} was started without its pipes`);
  const pipes = child.stdio.filter((pipe) => pipe instanceof Socket);
  child.unref();
  for (const pipe of pipes) pipe.unref();
  return Object.assign(programOf(child), {
    tell(order: string) {
      child.ref();
      for (const pipe of pipes) pipe.ref();
      try {
        writeSync(orders, order, 0);
        child.stdin.write("\n");
      } catch (error) {
        child.stdin.end();
        throw error;
      } finally {
        closeSync(orders);
      }
    },
    dismiss() {
      closeSync(orders);
      child.stdin.end();
    },
  });
}

const hasPipes = (child: ChildProcess): child is ChildProcessWithoutNullStreams =>
  child.stdin !== null && child.stdout !== null && child.stderr !== null;

function programOf(child: ChildProcessWithoutNullStreams): Program {
  const { stdin: input, stdout: output, stderr: errors } = child;
  // At once: its entry is there until Node has heard of its end, which is not before this function returns.
  const ref = child.pid === undefined ? undefined : readProcess(child.pid);
  let hasExited = false;
  const exit = new Promise<ChildExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ kind: "exit", code, signal }));
    child.on("error", ({ message }) => resolve({ kind: "error", message }));
  });
  void exit.then(() => {
    hasExited = true;
    input.destroy(); // a child that it left behind may hold the other end, and never read
  });
  input.on("error", () => undefined); // a program that does not listen any more is no error
  const stdout = byteStream(output, exit);
  const stderr = byteStream(errors, exit);
  return {
    ref,
    exit,
    get hasExited() {
      return hasExited;
    },
    stdout,
    stderr,
    write: (bytes) =>
      new Promise((resolve) => {
        if (input.writable) input.write(bytes, () => resolve());
        else resolve();
      }),
    endInput: () => void input.end(),
    release: () => {
      for (const pipe of [input, output, errors]) pipe.destroy();
    },
  };
}
