// The protocol's own client on a connection: what it may be asked, and for how long it waits.
import { Client, type ClientOptions, type Transport, UrlElicitationRequiredError } from "@modelcontextprotocol/client";
import type { AddressWish, ConnectedServer } from "./connected-server.ts";
import { AnswerTime } from "./asking/answer-time.ts";
import { ServerFault } from "./message-lines.ts";
import { ProgramTransport } from "./program-transport.ts";

export interface ClientWish extends Pick<AddressWish, "version" | "clock" | "signal" | "ask" | "patienceMs"> {
  readonly transport: Transport;
  readonly era: "auto" | "legacy";
  /** How long it may take to say of which era it is. */
  readonly probeMs: number;
  /** How long one call may take, without the time that a person takes to answer. */
  readonly callMs: number;
  readonly end: () => Promise<void>;
}

const MAX_PAGES = 16;
/** Of one connection: a server that goes on asking is not answered any more. */
const MAX_QUESTIONS = 30;
const MAX_ROUNDS = 8;
const MAX_ADDRESSES = 3;
/** The library's own clock does not stop while a person is asked: ours does. */
const NEVER_MS = 2 ** 31 - 1;

export async function openClient(wish: ClientWish): Promise<ConnectedServer> {
  const { transport, era, probeMs, callMs, version, clock, signal, ask, patienceMs, end } = wish;
  const client = new Client({ name: "cadre", version }, optionsFor(era, probeMs, ask !== undefined));
  const time = new AnswerTime(clock);
  let [calls, questions] = [0, 0];
  const asked = async (question: Parameters<NonNullable<typeof ask>>[0], until: AbortSignal) => {
    questions++;
    // Out of nowhere, or without end: then nobody is bothered.
    if (ask === undefined || calls === 0 || questions > MAX_QUESTIONS) return { action: "decline" as const };
    return time.stopped(() => ask(question, until));
  };
  if (ask !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => asked(params, mcpReq.signal));
  const listed = await orQuit(transport, signal, async () => {
    await client.connect(transport, { signal, timeout: patienceMs ?? callMs });
    return client.getServerCapabilities()?.tools === undefined ? { tools: [] } : client.listTools({}, { signal });
  });
  const once = (name: string, input: Record<string, unknown>, until: AbortSignal) =>
    client.callTool({ name, arguments: input }, { signal: until, timeout: NEVER_MS });
  return {
    tools: listed.tools,
    async call(name, input, until) {
      calls++;
      try {
        return await time.within(callMs, until, async (whole) => {
          try {
            return await once(name, input, whole);
          } catch (error) {
            if (!(error instanceof UrlElicitationRequiredError)) throw error;
            for (const address of error.elicitations.slice(0, MAX_ADDRESSES))
              if ((await asked(address, whole)).action !== "accept") throw error;
            return await once(name, input, whole);
          }
        });
      } catch (error) {
        throw new ServerFault(wordsOf(error, transport), { cause: error });
      } finally {
        calls--;
      }
    },
    async [Symbol.asyncDispose]() {
      await client.close().catch(() => undefined);
      await end();
    },
  };
}

const optionsFor = (mode: "auto" | "legacy", timeoutMs: number, isAskable: boolean): ClientOptions => ({
  versionNegotiation: { mode, probe: { timeoutMs } },
  // It may ask a person, where there is one, and nothing else: no sampling, no folders.
  capabilities: isAskable ? { elicitation: { form: {}, url: {} } } : {},
  inputRequired: { maxRounds: MAX_ROUNDS },
  listMaxPages: MAX_PAGES,
  // Its schemas are not run here: one can be made to take for ever.
  jsonSchemaValidator: {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever it is, it is shown as text
    getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) as never,
  },
});

/** The library does not heed a signal at every step; whoever waits for a closed connection is let go. */
async function orQuit<T>(transport: Transport, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const quit = () => void transport.close();
  signal.addEventListener("abort", quit, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener("abort", quit);
  }
}

export function wordsOf(error: unknown, transport?: Transport): string {
  if (transport instanceof ProgramTransport && transport.isOver) return transport.whyGone();
  // What really happened lies at the bottom of it.
  let [cause, depth] = [error, 0];
  while (cause instanceof Error && cause.cause instanceof Error && depth++ < 5) cause = cause.cause;
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 500);
}
