// Our side of the protocol: what a peer may tell and ask, and when. Only of its one session, and only while a prompt is
// being worked on: before and after, it has nothing to do in the workspace.
import { CODES, type Handlers, RpcError } from "./connection.ts";
import { OfSession, SessionUpdate } from "./messages.ts";
import type { PeerFiles } from "./peer-files.ts";
import type { PeerTerminals } from "./peer-terminals.ts";
import { answerPermission, type PermissionParts } from "./permissions.ts";
import { readParams } from "./read-params.ts";
import type { Updates } from "./updates.ts";

export interface TalkParts extends PermissionParts {
  readonly updates: Updates;
  readonly files: PeerFiles;
  readonly terminals: PeerTerminals;
}

type Answer = (params: unknown) => object | Promise<object>;

export class PeerTalk implements Handlers {
  readonly #updates: Updates;
  readonly #atWork: Readonly<Record<string, Answer>>;
  readonly #anyTime: Readonly<Record<string, Answer>>;
  /** The peer's name for its session, once it has one. */
  session: string | undefined;
  isAtWork = false;
  /** What went wrong on our side while it talked: it is not the peer's, and must not be lost. */
  problem: unknown;

  constructor(parts: TalkParts) {
    const { updates, files, terminals } = parts;
    this.#updates = updates;
    this.#atWork = {
      "session/request_permission": (params) => answerPermission(parts, params),
      "fs/read_text_file": (params) => files.read(params),
      "fs/write_text_file": (params) => files.write(params),
      "terminal/create": (params) => terminals.create(params),
    };
    this.#anyTime = {
      "terminal/output": (params) => terminals.output(params),
      "terminal/wait_for_exit": (params) => terminals.waitForExit(params),
      "terminal/kill": (params) => terminals.kill(params),
      "terminal/release": (params) => terminals.release(params),
    };
  }

  async notified(method: string, params: unknown): Promise<void> {
    if (method !== "session/update" || !this.isAtWork) return;
    const read = SessionUpdate.safeParse(params);
    if (!read.success || read.data.sessionId !== this.session) return;
    try {
      await this.#updates.take(read.data.update);
    } catch (error) {
      this.problem ??= error;
    }
  }

  async asked(method: string, params: unknown): Promise<object> {
    const answer = own(this.#atWork, method) ?? own(this.#anyTime, method);
    if (answer === undefined) throw new RpcError(CODES.noSuchMethod, `there is no method ${method}`);
    const { sessionId } = readParams(OfSession, params);
    if (sessionId !== this.session) throw new RpcError(CODES.invalidParams, "there is no such session");
    if (own(this.#atWork, method) !== undefined && !this.isAtWork)
      throw new RpcError(CODES.invalidRequest, "no prompt is being worked on");
    return answer(params);
  }
}

const own = (table: Readonly<Record<string, Answer>>, method: string): Answer | undefined =>
  Object.hasOwn(table, method) ? table[method] : undefined;
