// Somebody swaps a folder for a link out of the project, as fast as the machine can, while files are read and written.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { TaskView } from "../../src/schema/index.ts";
import { sharedWorkspaces } from "../../src/workspaces/shared/shared-workspaces.ts";
import { kit } from "../tools/files/kit.ts";
import { scene, SECRET } from "./kit.ts";

const TRIES = 10_000;
const AT_ONCE = 20;
/** Only what a workspace looks at. */
const task = { spec: { workspace: { mode: "shared", allow_writes: true } } } as TaskView;
const LIMIT = { timeout: 60_000 };

/** In one system call where the kernel has it (renameat2, RENAME_EXCHANGE), so that the name is always taken. */
const SWAPPER = `
  my ($root, $parent) = @ARGV;
  my $number = { x86_64 => 316, aarch64 => 276 }->{ (POSIX::uname())[4] } // die "no number";
  chdir $root or die "no root";
  $| = 1;
  for (my $i = 0; ; $i++) {
    my $done = syscall($number, -100, my $from = "a", -100, my $to = "trap", 2);
    die "cannot swap: $!" if $done != 0;
    print "up\\n" if $i == 10;
    exit if $i % 1000 == 0 && getppid() != $parent;
  }
`;

async function swapping(root: string): Promise<ChildProcess> {
  const args = ["-MPOSIX", "-e", SWAPPER, root, String(process.pid)];
  const swapper = spawn("/usr/bin/perl", args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void swapper.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    swapper.stdout.once("data", () => resolve());
    swapper.once("exit", (code) => reject(new Error(`the swapper ended with ${code}`)));
  });
  return swapper;
}

async function ended(swapper: ChildProcess): Promise<void> {
  expect(swapper.exitCode).toBe(null);
  await new Promise((resolve) => void swapper.once("exit", resolve).kill("SIGKILL"));
}

interface Seen {
  harmless: number;
  stopped: number;
  escaped: string[];
}

/** Reads and writes in equal parts, some at a time. What is read may be the project's own file, or nothing. */
async function race(read: () => Promise<string>, write: (name: string) => Promise<void>): Promise<Seen> {
  const seen: Seen = { harmless: 0, stopped: 0, escaped: [] };
  const stopped = () => void seen.stopped++;
  const look = async () => {
    const text = await read();
    if (text.includes(SECRET)) seen.escaped.push(text);
    else if (text.includes("harmless")) seen.harmless++;
    else stopped();
  };
  for (let round = 0; round < TRIES; round += AT_ONCE) {
    const names = Array.from({ length: AT_ONCE / 2 }, (_, index) => `a/new-${round + index}`);
    await Promise.all(names.flatMap((name) => [look().catch(stopped), write(name).catch(stopped)]));
  }
  return seen;
}

function expectNoEscape({ harmless, stopped, escaped }: Seen, outside: string): void {
  expect(escaped).toEqual([]);
  expect(readdirSync(outside).filter((name) => name.startsWith("new-"))).toEqual([]);
  expect(readFileSync(join(outside, "in.txt"), "utf8")).toBe(SECRET);
  // Both sides of the swap were met, or nothing was tried.
  expect(harmless).toBeGreaterThan(0);
  expect(stopped).toBeGreaterThan(0);
}

function trapIn(outside: string, root: string): void {
  mkdirSync(join(root, "a"));
  writeFileSync(join(root, "a/in.txt"), "harmless");
  writeFileSync(join(outside, "in.txt"), SECRET);
  symlinkSync("..", join(root, "trap"));
}

test("case 10: the file tools are raced 10,000 times, and nothing is read or written elsewhere", LIMIT, async () => {
  await using files = await kit();
  trapIn(files.outside, files.root);
  const swapper = await swapping(files.root);
  const seen = await race(
    async () => (await files.run("Read", { file_path: "a/in.txt" })).text,
    async (name) => {
      const { ok, text } = await files.run("Write", { file_path: name, content: "x" });
      if (!ok) throw new Error(text);
    },
  );
  await ended(swapper);
  expectNoEscape(seen, files.outside);
});

test(
  "case 10: the files of a workspace are raced 10,000 times, and nothing is read or written elsewhere",
  LIMIT,
  async () => {
    const { outside, project } = scene();
    trapIn(outside, project);
    const workspace = await sharedWorkspaces(project).prepare(task, 1);
    const swapper = await swapping(project);
    const seen = await race(
      () => workspace.files.read("a/in.txt"),
      (name) => workspace.files.write(name, "x"),
    );
    await ended(swapper);
    expectNoEscape(seen, outside);
  },
);

test("case 10: whoever opens a path as it is written is led astray by the same swapper", LIMIT, async () => {
  const { outside, project } = scene();
  trapIn(outside, project);
  const swapper = await swapping(project);
  let isAstray = false;
  for (let round = 0; round < TRIES && !isAstray; round++)
    isAstray = readFileSync(join(project, "a/in.txt"), "utf8") === SECRET;
  await ended(swapper);
  expect(isAstray).toBe(true);
});
