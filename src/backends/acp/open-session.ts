// The beginning of a conversation: versions and abilities, a login where a key is enough, a session, and the mode and
// model that the task wants. Nothing is asked of the peer before all of that is settled.
import type { Clock } from "../../ports/index.ts";
import { oneLine } from "../../domain/summaries.ts";
import { SERVER } from "../own-tools/server-name.ts";
import { CODES, type Connection, RpcError } from "./connection.ts";
import { Initialized, NewSession, SessionFacts } from "./messages.ts";
import { modeFor, modelFor, modelsOf, type Setting } from "./modes.ts";
import { fail, wordsOf } from "./peer-end.ts";
import type { Lookup } from "./peer-environment.ts";
import type { HeldBy, Preset } from "./presets.ts";
import { within } from "./within.ts";
import type { BackendEnd } from "../../ports/index.ts";

const PROTOCOL_VERSION = 1;
const ANSWER_MS = 60_000;
const LOAD_MS = 120_000;

export interface SessionWish {
  readonly cwd: string;
  readonly preset: Preset;
  /** Where the peer has to be put into a mode for what it may do. */
  readonly heldBy: HeldBy | undefined;
  /** The peer's name for the session that is to go on, where there is one. */
  readonly known: string | undefined;
  readonly model: { readonly name: string; readonly isMust: boolean } | null;
  readonly version: string;
  /** Our own tools, for a peer that can reach them. */
  readonly own: { readonly url: string; readonly token: string } | undefined;
}

export interface OpenSession {
  readonly id: string;
  /** It knows what was said before. */
  readonly isResumed: boolean;
  /** The mode that it has to stay in. */
  readonly mode: string | undefined;
  readonly notes: readonly string[];
}

/** Thrown through the steps of opening, and caught where they are started. */
class NotOpened extends Error {
  readonly end: BackendEnd;

  constructor(end: Extract<BackendEnd, { kind: "failed" }>) {
    super(end.message);
    this.end = end;
  }
}

const stop = (...why: Parameters<typeof fail>): never => {
  throw new NotOpened(fail(...why));
};

/** Rejects with what the connection says where the peer fails at a step. */
export async function openSession(
  connection: Connection,
  wish: SessionWish,
  clock: Clock,
  lookup: Lookup,
): Promise<OpenSession | BackendEnd> {
  try {
    return await new Opening(connection, wish, clock, lookup).open();
  } catch (error) {
    if (error instanceof NotOpened) return error.end;
    throw error;
  }
}

interface Opened {
  readonly id: string;
  readonly facts: SessionFacts;
  readonly isResumed: boolean;
}

class Opening {
  readonly #connection: Connection;
  readonly #wish: SessionWish;
  readonly #clock: Clock;
  readonly #lookup: Lookup;
  readonly #notes: string[] = [];

  constructor(connection: Connection, wish: SessionWish, clock: Clock, lookup: Lookup) {
    this.#connection = connection;
    this.#wish = wish;
    this.#clock = clock;
    this.#lookup = lookup;
  }

  async open(): Promise<OpenSession> {
    const initialized = await this.#initialize();
    if (this.#wish.own !== undefined && initialized.agentCapabilities?.mcpCapabilities?.http !== true)
      return stop("refused", "the peer takes no MCP servers over HTTP, by which the agent's exits would reach it");
    const { id, facts, isResumed } = (await this.#resume(initialized)) ?? (await this.#begin(initialized));
    const mode = await this.#setMode(id, facts);
    await this.#setModel(id, facts);
    return { id, isResumed, mode, notes: this.#notes };
  }

  async #initialize(): Promise<Initialized> {
    const answer = await this.#ask("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      clientInfo: { name: "cadre", title: "Cadre", version: this.#wish.version },
    });
    const read = Initialized.safeParse(answer);
    if (!read.success) return stop("backend_error", "the peer answered `initialize` with something else");
    if (read.data.protocolVersion !== PROTOCOL_VERSION)
      return stop(
        "backend_unavailable",
        `the peer speaks version ${read.data.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`,
      );
    return read.data;
  }

  async #begin(initialized: Initialized): Promise<Opened> {
    const params = { cwd: this.#wish.cwd, mcpServers: this.#servers() };
    const answer = await this.#askLoggedIn("session/new", params, initialized);
    const read = NewSession.safeParse(answer);
    if (!read.success) return stop("backend_error", "the peer opened no session");
    return { id: read.data.sessionId, facts: factsIn(answer), isResumed: false };
  }

  #servers(): readonly object[] {
    const { own } = this.#wish;
    if (own === undefined) return [];
    const headers = [{ name: "Authorization", value: `Bearer ${own.token}` }];
    return [{ type: "http", name: SERVER, url: own.url, headers }];
  }

  async #askLoggedIn(method: string, params: object, initialized: Initialized, limitMs?: number): Promise<unknown> {
    try {
      return await this.#ask(method, params, limitMs);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== CODES.authRequired) throw error;
      await this.#logIn(error, initialized);
      return this.#ask(method, params, limitMs);
    }
  }

  /** Only where a key is all that it takes: anything else is between a person and the peer. */
  async #logIn({ message }: RpcError, { authMethods }: Initialized): Promise<void> {
    const logins = Object.entries(this.#wish.preset.logins ?? {});
    const method = logins.find(
      ([id, variable]) => this.#lookup(variable) !== undefined && authMethods?.some((one) => one.id === id),
    )?.[0];
    if (method !== undefined) return void (await this.#ask("authenticate", { methodId: method }));
    const ways = (authMethods ?? []).map(({ id, name }) => name ?? id).join(", ");
    return stop(
      "backend_unavailable",
      oneLine(`the peer wants a login: ${message}${ways === "" ? "" : ` (${ways})`}`, 500),
    );
  }

  /** Undefined: a new session is needed. That the old one is lost is said. */
  async #resume(initialized: Initialized): Promise<Opened | undefined> {
    const { agentCapabilities } = initialized;
    const { known, cwd } = this.#wish;
    if (known === undefined) return undefined;
    const canResume = agentCapabilities?.sessionCapabilities?.resume !== undefined;
    const method = canResume ? "session/resume" : agentCapabilities?.loadSession === true ? "session/load" : undefined;
    if (method === undefined) {
      this.#notes.push("the peer cannot go on with an earlier session: it is told what was said");
      return undefined;
    }
    try {
      const answer = await this.#askLoggedIn(
        method,
        { sessionId: known, cwd, mcpServers: this.#servers() },
        initialized,
        LOAD_MS,
      );
      return { id: known, facts: factsIn(answer), isResumed: true };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.#notes.push(
        `the peer could not go on with its session (${oneLine(wordsOf(error), 200)}): it is told what was said`,
      );
      return undefined;
    }
  }

  async #setMode(session: string, facts: SessionFacts): Promise<string | undefined> {
    const { heldBy } = this.#wish;
    if (heldBy === undefined || heldBy === "as started") return undefined;
    const mode = modeFor(facts, heldBy);
    if (mode === undefined)
      return stop(
        "refused",
        `nothing would hold the peer to the task's policy: it offers no mode ${heldBy.modes.join(" or ")}`,
      );
    await this.#set(session, mode);
    this.#notes.push(`the peer is held in its mode "${mode.value}"`);
    return mode.value;
  }

  async #setModel(session: string, facts: SessionFacts): Promise<void> {
    const { model } = this.#wish;
    if (model === null) return;
    const found = modelFor(facts, model.name);
    if (found !== undefined) return this.#set(session, found);
    if (!model.isMust) return;
    const all = modelsOf(facts).slice(0, 20).join(", ");
    stop(
      "backend_unavailable",
      `the peer does not offer the model ${model.name}${all === "" ? "" : `; it has ${all}`}`,
    );
  }

  async #set(sessionId: string, { method, params }: Setting): Promise<void> {
    await this.#ask(method, { sessionId, ...params });
  }

  async #ask(method: string, params: object, limitMs = ANSWER_MS): Promise<unknown> {
    const answer = await within(
      this.#clock,
      limitMs,
      this.#connection.request(method, params).then((value) => ({ value })),
    );
    return answer === undefined
      ? stop("backend_unavailable", `the peer did not answer \`${method}\` within ${limitMs / 1000} s`)
      : answer.value;
  }
}

function factsIn(answer: unknown): SessionFacts {
  const read = SessionFacts.safeParse(answer);
  return read.success ? read.data : SessionFacts.parse({});
}
