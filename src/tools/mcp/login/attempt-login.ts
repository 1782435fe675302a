// A login as an attempt has it: tokens that are there already, renewed when they have run out. Nothing else: an attempt
// registers nowhere, asks nobody to log in, and knows no authorization server but the one that gave the tokens.
import {
  type AuthProvider,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  InsufficientScopeError,
  OAuthError,
  refreshAuthorization,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { withFileLock } from "../../../platform/file-lock.ts";
import type { Clock } from "../../../ports/index.ts";
import { withinTime } from "../../web/within-time.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import type { Grant, LoginFile, LoginKey } from "./login-file.ts";
import { LoginNeeded } from "./login-needed.ts";

export interface AttemptLoginParts {
  readonly key: LoginKey;
  /** What a person types to log in. */
  readonly command: string;
  readonly file: LoginFile;
  readonly fetch: GuardedFetch["fetch"];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface AttemptLogin extends AuthProvider {
  /** A text without the tokens, should the server hand one back. */
  hide(text: string): string;
  /** The same error, or what a person can do about it. */
  explained(error: unknown): Promise<unknown>;
}

/** Others wait for it no longer than that. */
const REFRESH_MS = 9_000;

export function attemptLogin(parts: AttemptLoginParts): AttemptLogin {
  const { key, command, file, clock, signal } = parts;
  const secrets = new Set<string>();
  let grant = known(file.grant(key));

  function known(one: Grant | undefined): Grant | undefined {
    for (const secret of [one?.tokens.access_token, one?.tokens.refresh_token]) if (secret) secrets.add(secret);
    return one;
  }

  return {
    token: async () => grant?.tokens.access_token,
    async onUnauthorized() {
      const refused = grant?.tokens.access_token;
      // A token to refresh with is often good for once only: of several attempts, one uses it.
      await withFileLock(`${file.folder}/mcp-auth-refresh`, clock, async () => {
        const now = known(file.grant(key));
        if (now === undefined) throw new LoginNeeded("it wants a login", command);
        if (now.tokens.access_token === refused) {
          grant = known(await withinTime(clock, REFRESH_MS, signal, () => refreshed(now, parts)));
          if (grant !== undefined) await file.keepGrant(grant);
        } else grant = now;
      });
    },
    hide: (text) => [...secrets].reduce((shown, secret) => shown.replaceAll(secret, () => "{{login}}"), text),
    async explained(error) {
      for (let [cause, depth] = [error, 0]; cause instanceof Error && depth < 6; cause = cause.cause, depth++) {
        if (cause instanceof LoginNeeded) return cause;
        if (cause instanceof SdkHttpError && cause.code === SdkErrorCode.ClientHttpAuthentication)
          return new LoginNeeded("it does not take the login that there is", command);
        if (cause instanceof InsufficientScopeError) {
          // The next login asks for them.
          const scope = computeScopeUnion(grant?.tokens.scope, cause.requiredScope);
          if (scope !== undefined) await file.keepMissed(key, scope);
          return new LoginNeeded("the login has not all the rights that it wants", command);
        }
      }
      return error;
    },
  };
}

async function refreshed(grant: Grant, { command, file, fetch }: AttemptLoginParts): Promise<Grant> {
  const { issuer, tokens, indicator } = grant;
  const information = file.client(issuer)?.information;
  if (tokens.refresh_token === undefined || information === undefined)
    throw new LoginNeeded("the login has run out", command);
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  try {
    const fresh = await refreshAuthorization(issuer, {
      ...(metadata === undefined ? {} : { metadata }),
      clientInformation: information,
      refreshToken: tokens.refresh_token,
      resource: indicator,
      fetchFn: fetch,
    });
    // One that says nothing of its scope has that of the one before.
    return { ...grant, tokens: { ...(tokens.scope === undefined ? {} : { scope: tokens.scope }), ...fresh } };
  } catch (error) {
    if (error instanceof OAuthError) throw new LoginNeeded(`the login could not be renewed (${error.code})`, command);
    throw error;
  }
}
