// What is left to do when a host has its reply: it does not wait for it, and nothing of it is lost.
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { setImmediate as nextRound } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { openDesk } from "../../src/mcp/desk.ts";
import { serveMcp } from "../../src/mcp/serve-mcp.ts";
import { agentFile, place } from "../cli/command-line.ts";

const FILES = { ".cadre/agents/hello.md": agentFile("hello", "  - answer: Hello there.") };

/** A server whose inbox takes as long as the test wants to note that something was read. */
async function slowToNote() {
  const { project: cwd, userHome, env } = await place(FILES);
  const person = await openCadre({ cwd, userHome, env });
  const stop = new AbortController();
  const working = person.work({ lingerMs: 3_600_000 }, stop.signal);
  const mayNote = Promise.withResolvers<void>();
  const open = async () => {
    const cadre = await openCadre({ cwd, userHome, env, mouth: "mcp", isPerson: false });
    const call: typeof cadre.call = async (name, input) => {
      if (name === "inbox.acknowledge") await mayNote.promise;
      return cadre.call(name, input);
    };
    return { ...cadre, call, ensureWorker: async () => undefined, wakeWorker: async () => undefined };
  };
  const [ofClient, transport] = InMemoryTransport.createLinkedPair();
  const served = serveMcp({
    version: "1",
    dialect: "cadre",
    open,
    log: () => undefined,
    signal: stop.signal,
    transport,
  });
  const client = new Client({ name: "test-host", version: "1" });
  await client.connect(ofClient);
  const unread = async () => (await person.call("inbox.list", { state: "unread" })).items.length;
  const close = async () => {
    await client.close();
    await served;
  };
  onTestFinished(async () => {
    mayNote.resolve();
    await close();
    stop.abort();
    await working;
    await person.close();
  });
  return { client, unread, mayNote: mayNote.resolve, close };
}

const TASK = { name: "task", arguments: { agent_name: "hello", prompt: "greet" } };

test("a reply does not wait until it is noted as read, and the next call does", { timeout: 30_000 }, async () => {
  const { client, unread, mayNote } = await slowToNote();
  expect((await client.callTool(TASK)).structuredContent).toMatchObject({ status: "completed" });
  expect(await unread()).toBe(1);
  let hasAnswered = false;
  const inbox = client.callTool({ name: "inbox", arguments: {} }).finally(() => (hasAnswered = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(hasAnswered).toBe(false);
  mayNote();
  expect((await inbox).structuredContent).toMatchObject({ ended: [] });
  expect(await unread()).toBe(0);
});

test("a server that is closed notes it first", { timeout: 30_000 }, async () => {
  const { client, unread, mayNote, close } = await slowToNote();
  await client.callTool(TASK);
  const closed = close();
  expect(await unread()).toBe(1);
  mayNote();
  await closed;
  expect(await unread()).toBe(0);
});

const deskOf = (logged: string[] = []) =>
  openDesk(
    () => Promise.reject(new Error("no home")),
    (line) => void logged.push(line),
  );

test("a reply that is ready goes out first, and closing waits for the rest", async () => {
  const desk = deskOf();
  const rest = Promise.withResolvers<void>();
  let hasBegun = false;
  desk.afterwards(() => {
    hasBegun = true;
    return rest.promise;
  });
  for (let step = 0; step < 100; step++) await Promise.resolve(); // as far as what is at hand goes by itself
  expect(hasBegun).toBe(false);
  let isClosed = false;
  const closed = desk.close().then(() => (isClosed = true));
  for (let round = 0; round < 20; round++) await nextRound();
  expect({ hasBegun, isClosed }).toEqual({ hasBegun: true, isClosed: false });
  rest.resolve();
  await closed;
});

test("what goes wrong after a reply is said, and holds up nobody", async () => {
  const logged: string[] = [];
  const desk = deskOf(logged);
  expect(desk.settled()).toBeUndefined();
  desk.afterwards(() => Promise.reject(new Error("the disk is full")));
  await desk.settled();
  expect(logged).toEqual(["what was to be done after a reply: Error: the disk is full"]);
  await nextRound();
  expect(desk.settled()).toBeUndefined();
  await desk.close();
});
