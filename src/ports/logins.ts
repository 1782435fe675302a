/** As whom and where a person logs in. */
export interface LoginWish {
  /** A server of the user's own settings; with `agent`, one that this agent's file names itself. */
  readonly server: string;
  readonly agent?: string | undefined;
  /** Where Cadre was registered by hand; an https address is that of a document which describes it. */
  readonly clientId?: string | undefined;
  /** The variable with the secret that belongs to it. */
  readonly clientSecret?: string | undefined;
}

export interface LoginEnd {
  readonly issuer: string;
  /** How many tools the server has; null where it lets nobody in all the same, with the reason. */
  readonly tools: number | null;
  readonly problem?: string | undefined;
}

/**
 * Logins of a person at MCP servers.
 *
 * - The address MUST only be shown: whoever opens it is a person.
 * - Tokens MUST NOT be told to any caller, and MUST NOT leave the user's own folder but for the server that they are for.
 * - A login MUST end by itself when nobody comes, and with the signal.
 */
export interface Logins {
  begin(wish: LoginWish, signal: AbortSignal): Promise<{ readonly login: string; readonly url: string }>;
  /** Until the person has logged in. Rejects where that comes to nothing. */
  finish(login: string): Promise<LoginEnd>;
  /** Whether there was one. */
  forget(wish: Pick<LoginWish, "server" | "agent">): Promise<boolean>;
}
