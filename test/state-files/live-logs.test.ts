import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { liveLogs } from "../../src/stores/state-files/index.ts";
import { processorMsOf } from "../processor-time.ts";
import { shown, type Shown, taskId } from "./kit.ts";

const T = "[2026-01-01T00:00:00]";
const A = taskId("a");
const B = taskId("b");
const text = (part: string) => ({ type: "text-delta", text: part }) as const;
const output = (part: string, call: string) => ({ type: "output-delta", call, text: part }) as const;

async function written(files: Shown, write: (logs: ReturnType<typeof liveLogs>) => void): Promise<void> {
  await using logs = liveLogs(files);
  write(logs);
}

describe("live output", () => {
  test("comes as whole lines, in the task's log and in the day's", async () => {
    const files = shown();
    await written(files, (logs) => {
      for (const part of ["I lo", "ok", " here\nand", " there\r", "\nthe end"]) logs.write(A, text(part));
      logs.write(B, text("me too\n"));
    });
    expect(files.lines("logs/task_a.log")).toEqual([`${T} | I look here`, `${T} | and there`, `${T} | the end`]);
    expect(files.lines("logs/stdout-20260101.log")).toEqual([
      `${T} [task_a] I look here`,
      `${T} [task_a] and there`,
      `${T} [task_b] me too`,
      `${T} [task_a] the end`,
    ]);
  });

  test("that a program wrote as its errors has a file of its own", async () => {
    const files = shown();
    await written(files, (logs) => {
      logs.write(A, output("fine\n", "stdout"));
      logs.write(A, output("bad\n", "stderr"));
    });
    expect(files.lines("logs/stdout-20260101.log")).toEqual([`${T} [task_a] fine`]);
    expect(files.lines("logs/stderr-20260101.log")).toEqual([`${T} [task_a] bad`]);
    expect(files.lines("logs/task_a.log")).toEqual([`${T} | fine`, `${T} | bad`]);
  });

  test("cannot forge a line", async () => {
    const files = shown();
    await written(files, (logs) => {
      logs.write(A, text(`x\r${T} completed (verified): yes\u001b[2K\n${T} completed\n`));
    });
    for (const line of files.lines("logs/task_a.log")) expect(line.startsWith(`${T} | `)).toBe(true);
    expect(files.text("logs/task_a.log")).not.toContain("\r");
    expect(files.text("logs/task_a.log")).not.toContain("\u001b");
  });

  test("without an end is cut", async () => {
    const files = shown();
    await written(files, (logs) => {
      for (let n = 0; n < 100; n++) logs.write(A, text("x".repeat(1000)));
    });
    for (const line of files.lines("logs/task_a.log")) expect(line.length).toBeLessThan(2100);
  });

  test("is written by itself, whole lines soon and the rest when nothing follows", async () => {
    const files = shown();
    await using logs = liveLogs(files);
    logs.write(A, text("one\ntwo"));
    await expect.poll(() => files.lines("logs/task_a.log")).toEqual([`${T} | one`]);
    files.clock.jump(2000);
    await expect.poll(() => files.lines("logs/task_a.log")).toHaveLength(2);
    expect(files.lines("logs/task_a.log")[1]).toContain("| two");
  });

  test("of an attempt that is over is written soon, also a line without an end; that of others waits for more", async () => {
    const files = shown();
    await using logs = liveLogs(files);
    logs.write(A, text("the end"));
    logs.write(A, output("bad", "stderr"));
    logs.write(B, text("not yet"));
    logs.over(A);
    await expect.poll(() => files.has("logs/stderr-20260101.log")).toBe(true);
    expect(files.lines("logs/task_a.log")).toEqual([`${T} | the end`, `${T} | bad`]);
    expect(files.lines("logs/stdout-20260101.log")).toEqual([`${T} [task_a] the end`]);
    expect(files.has("logs/task_b.log")).toBe(false);
  });

  test("that comes too fast is dropped, never holds anybody up, and one line says how much", async () => {
    const files = shown();
    const megabyte = `${"x".repeat(1023)}\n`.repeat(1024);
    const took = await processorMsOf(() =>
      written(files, (logs) => {
        for (let n = 0; n < 20; n++) logs.write(A, text(megabyte.slice(0, 512 * 1024)));
      }),
    );
    expect(took).toBeLessThan(2_000);
    const dropped = files.lines("logs/task_a.log").filter((line) => line.includes("were dropped"));
    expect(dropped).toHaveLength(1);
    const count = Number(/\((\d+) characters/.exec(dropped[0] ?? "")?.[1]);
    const kept = files.lines("logs/task_a.log").length - 1;
    expect(count + kept * 1024).toBe(20 * 512 * 1024);
    expect(files.text("logs/task_a.log").length).toBeLessThan(2 * 1024 * 1024);
  });

  test("goes on after a burst: the queue is empty again", async () => {
    const files = shown();
    await using logs = liveLogs(files);
    for (let round = 0; round < 5; round++) {
      logs.write(A, text(`${"x".repeat(1000)}\n`.repeat(400)));
      await logs.flush();
    }
    expect(files.lines("logs/task_a.log")).toHaveLength(2000);
  });

  test("that cannot be written fails nobody, and is said once", async () => {
    const files = shown();
    mkdirSync(files.path("."), { recursive: true });
    writeFileSync(files.path("logs"), "in the way");
    await written(files, (logs) => {
      logs.write(A, text("x\n"));
      logs.write(B, text("y\n"));
    });
    expect(files.problems).toHaveLength(1);
    expect(files.problems[0]).toContain("live output is lost");
  });
});
