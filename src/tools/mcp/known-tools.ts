// Which tools a server had when they were agreed to, by hash, in a file of the user's own. A server that tells another
// story later, about a tool that people have come to trust, is not believed until somebody has read it.
import * as z from "zod";
import { withFileLock } from "../../platform/file-lock.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import type { Clock } from "../../ports/index.ts";
import type { McpTool } from "./offered-tools.ts";

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Content = z.strictObject({
  version: z.literal(1),
  /** By the hash of the server: what it is started with, or its address. */
  servers: z.record(Hash, z.record(z.string(), Hash)),
  /** By the same, and its project: the hash of the package that is started. */
  packages: z.record(Hash, Hash).default({}),
});

type Content = z.infer<typeof Content>;

const FILE = "mcp-tools.json";
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_SERVERS = 500;

export interface KnownTools {
  /** Null: nobody has seen this server's tools yet. */
  of(server: string): Promise<ReadonlyMap<string, string> | null>;
  agree(server: string, tools: readonly McpTool[]): Promise<void>;
  /** Null: nobody has agreed to a package of this server. */
  packageOf(server: string): Promise<string | null>;
  agreePackage(server: string, sha256: string): Promise<void>;
}

/** `folder` is the user's `.cadre`: no project can write there. */
export function knownTools(folder: string, clock: Pick<Clock, "sleep">): KnownTools {
  const owned = new OwnedFolder(folder);
  const read = (): Content => {
    const found = owned.read(FILE, MAX_BYTES);
    if (found.kind === "missing") return { version: 1, servers: {}, packages: {} };
    const parsed = found.kind === "text" ? Content.safeParse(jsonOf(found.text)) : undefined;
    // What cannot be read counts as never seen by nobody: then all of it would be agreed to. So it is an error.
    if (parsed?.success !== true)
      throw new Error(`${folder}/${FILE} cannot be read: mend it, or delete it to begin anew`);
    return parsed.data;
  };
  const change = (work: (content: Content) => Omit<Content, "version">): Promise<void> =>
    withFileLock(`${folder}/${FILE}`, clock, async () => {
      owned.replace(FILE, `${JSON.stringify({ version: 1, ...work(read()) }, null, 2)}\n`);
    });
  return {
    async of(server) {
      const { servers } = read();
      return Object.hasOwn(servers, server) ? new Map(Object.entries(servers[server] ?? {})) : null;
    },
    agree: (server, tools) =>
      change(({ servers, packages }) => {
        const own = { ...servers[server], ...Object.fromEntries(tools.map(({ theirs, sha256 }) => [theirs, sha256])) };
        return { servers: withNewest(servers, server, own), packages };
      }),
    async packageOf(server) {
      const { packages } = read();
      return (Object.hasOwn(packages, server) ? packages[server] : undefined) ?? null;
    },
    agreePackage: (server, sha256) =>
      change(({ servers, packages }) => ({ servers, packages: withNewest(packages, server, sha256) })),
  };
}

/** Those that were agreed to longest ago go first. */
const withNewest = <T>(all: Readonly<Record<string, T>>, key: string, value: T): Record<string, T> =>
  Object.fromEntries([
    ...Object.entries(all)
      .filter(([other]) => other !== key)
      .slice(-MAX_SERVERS + 1),
    [key, value],
  ]);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
