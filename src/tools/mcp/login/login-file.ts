// Logins at MCP servers, in a file of the user's own that nobody else can read: what servers' authorization servers
// gave, by who gave it (the issuer), for what (the resource) and on whose behalf.
import * as z from "zod";
import { withFileLock } from "../../../platform/file-lock.ts";
import { OwnedFolder } from "../../../platform/owned-folder.ts";
import type { Clock } from "../../../ports/index.ts";

const Tokens = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  expires_in: z.number().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** As whom Cadre is known to an authorization server. */
const Client = z.strictObject({
  issuer: z.string(),
  information: z.looseObject({ client_id: z.string(), client_secret: z.string().optional() }),
  /** Where that server sends people back to, for a client that was registered with it. */
  redirect: z.string().nullable(),
});
export type Client = z.infer<typeof Client>;

const Grant = z.strictObject({
  /** `USER`, or the folder of the project whose agents name the server themselves: a project has its own logins. */
  owner: z.string(),
  /** The server's address. */
  resource: z.string(),
  /** What the authorization server calls it. */
  indicator: z.string(),
  issuer: z.string(),
  tokens: Tokens,
});
export type Grant = z.infer<typeof Grant>;

/** Rights that a server missed in a login: the next one asks for them. */
const Missed = z.strictObject({ owner: z.string(), resource: z.string(), scope: z.string().max(4_000) });

const Content = z.strictObject({
  version: z.literal(1),
  clients: z.array(Client),
  grants: z.array(Grant),
  missed: z.array(Missed),
});
type Content = z.infer<typeof Content>;

export const USER = "user";

export interface LoginKey {
  readonly owner: string;
  readonly resource: string;
}

/** By the address as a resource is named: without a fragment. */
export function keyOf(owner: string, url: URL): LoginKey {
  const resource = new URL(url);
  resource.hash = "";
  return { owner, resource: resource.href };
}

export interface LoginFile {
  readonly folder: string;
  /** The newest, should it have been given by several. */
  grant(key: LoginKey): Grant | undefined;
  client(issuer: string): Client | undefined;
  missed(key: LoginKey): string | undefined;
  keepGrant(grant: Grant): Promise<void>;
  keepClient(client: Client): Promise<void>;
  keepMissed(key: LoginKey, scope: string): Promise<void>;
  /** Whether there was one. */
  forget(key: LoginKey): Promise<boolean>;
}

const FILE = "mcp-auth.json";
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ENTRIES = 500;

/** `folder` is the user's `.cadre`. */
export function loginFile(folder: string, clock: Pick<Clock, "sleep">): LoginFile {
  const owned = new OwnedFolder(folder);
  const read = (): Content => {
    const found = owned.read(FILE, MAX_BYTES);
    if (found.kind === "missing") return { version: 1, clients: [], grants: [], missed: [] };
    const parsed = found.kind === "text" ? Content.safeParse(jsonOf(found.text)) : undefined;
    if (parsed?.success !== true)
      throw new Error(`${folder}/${FILE} cannot be read: delete it, and log in again (cadre tools login <server>)`);
    return parsed.data;
  };
  const change = (next: (content: Content) => Partial<Content>): Promise<void> =>
    withFileLock(`${folder}/${FILE}`, clock, async () => {
      const before = read();
      owned.replace(FILE, `${JSON.stringify({ ...before, ...next(before) }, null, 2)}\n`);
    });
  return {
    folder,
    grant: (key) => read().grants.findLast((one) => isOf(one, key)),
    client: (issuer) => read().clients.findLast((one) => one.issuer === issuer),
    missed: (key) => read().missed.find((one) => isOf(one, key))?.scope,
    // What a login was missing is in it now, or was not given.
    keepGrant: (grant) =>
      change(({ grants, missed }) => ({
        grants: added(grants, grant, (one) => isOf(one, grant) && one.issuer === grant.issuer),
        missed: missed.filter((one) => !isOf(one, grant)),
      })),
    keepClient: (client) =>
      change(({ clients }) => ({ clients: added(clients, client, ({ issuer }) => issuer === client.issuer) })),
    keepMissed: ({ owner, resource }, scope) =>
      change(({ missed }) => ({
        missed: added(missed, { owner, resource, scope: scope.slice(0, 4_000) }, (one) =>
          isOf(one, { owner, resource }),
        ),
      })),
    async forget(key) {
      let isThere = false;
      await change(({ grants, missed }) => {
        isThere = grants.some((one) => isOf(one, key));
        return { grants: grants.filter((one) => !isOf(one, key)), missed: missed.filter((one) => !isOf(one, key)) };
      });
      return isThere;
    },
  };
}

const isOf = (one: LoginKey, key: LoginKey): boolean => one.owner === key.owner && one.resource === key.resource;

const added = <T>(all: readonly T[], one: T, isReplaced: (other: T) => boolean): T[] => [
  ...all.filter((other) => !isReplaced(other)).slice(-MAX_ENTRIES + 1),
  one,
];

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
