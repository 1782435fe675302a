import { join } from "node:path";
import { withFileLock } from "../platform/file-lock.ts";
import type { Clock, ConnectWish, HostChange, HostConfig, HostScope } from "../ports/index.ts";
import { applyStep, type Step } from "./apply-step.ts";
import { agentCommands } from "./commands/agent-commands.ts";
import { taskToolNames } from "./commands/task-tool-names.ts";
import { entryStep, fileStep } from "./connect-steps.ts";
import { type Connection, connectionList } from "./connections.ts";
import { disconnectStep } from "./disconnect-step.ts";
import { filePlace } from "./find-place.ts";
import type { Ground, HostKind, Launch, OwnFile } from "./kinds/kind.ts";
import { KINDS } from "./kinds/kinds.ts";
import { hostStates } from "./host-states.ts";
import { noPersonas, noSuchScope, unknownHost } from "./refusals.ts";
import { shellQuoted } from "./shell-quoted.ts";

export interface HostConfigOptions extends Ground {
  /** What starts Cadre, without any arguments for it: `["cadre"]`. */
  readonly cadre: readonly [program: string, ...args: string[]];
  readonly clock: Pick<Clock, "sleep">;
}

export function openHostConfig(options: HostConfigOptions): HostConfig {
  const file = join(options.userHome, ".cadre", "connections.json");
  const list = connectionList(file);
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, in all processes: each starts from what the one before it has written. */
  const inOrder = <T>(dry: boolean, work: () => Promise<T>): Promise<T> => {
    const done = last.then(() => (dry ? work() : withFileLock(file, options.clock, work)));
    last = done.catch(() => undefined);
    return done;
  };
  return {
    list: () => hostStates(options, list),
    connect: (wish) =>
      inOrder(wish.dry, async () => {
        const [server, ...others] = await stepsOf(options, wish);
        // Without the server the rest is of no use: what refuses it refuses all.
        const rows = server === undefined ? [] : [await applyStep(list, server, wish.dry)];
        for (const step of others) rows.push(await applyStep(list, step, wish.dry));
        return rows;
      }),
    disconnect: ({ host, scope, force, dry }) =>
      inOrder(dry, async () => {
        const kind = kindOf(host);
        const known = (await list.read()).filter((one) => one.host === host && isMeant(one, scope, options));
        const rows: HostChange[] = [];
        // The other way round: folders were made by what came first.
        for (const one of known.toReversed()) {
          const format = kind.place(one.scope, options)?.format;
          rows.push(await applyStep(list, disconnectStep(one, format, force), dry));
        }
        return rows;
      }),
  };
}

function kindOf(host: string): HostKind {
  const kind = KINDS.get(host);
  if (kind === undefined) throw unknownHost(host, [...KINDS.keys()]);
  return kind;
}

const isMeant = (one: Connection, scope: HostScope | undefined, { project }: Ground): boolean =>
  (scope === undefined || one.scope === scope) && (one.scope === "user" || one.root === project);

async function stepsOf(options: HostConfigOptions, wish: ConnectWish): Promise<Step[]> {
  const { host, dialect = "cadre", commands: withCommands, personas: withPersonas } = wish;
  const kind = kindOf(host);
  const scope = wish.scope ?? kind.usual;
  if (withPersonas && kind.personas === undefined) throw noPersonas(kind.title);
  const tools = taskToolNames(dialect);
  const server = kind.place(scope, options);
  if (server === null) throw noSuchScope(kind.title, scope);
  const place = await filePlace(scope, server, options);
  const value = server.server({ ...launchOf(options, dialect), env: wish.env });
  const step = entryStep({ host, place, format: server.format, keys: server.keys, value });
  const parts = { cadre: shellQuoted(options.cadre), tools, commands: agentCommands(wish.agents) };
  const commands = withCommands ? kind.commands?.(scope, options, parts) : null;
  const own = (root: string, files: readonly OwnFile[]) =>
    Promise.all(
      files.map(async ({ what, path, text }) =>
        fileStep(host, await filePlace(scope, { root, files: [path] }, options), what, text),
      ),
    );
  return [
    step,
    ...(commands === null || commands === undefined ? [] : await own(commands.root, commands.files)),
    ...(withPersonas ? await own(place.root, kind.personas ?? []) : []),
  ];
}

function launchOf({ cadre: [command, ...before] }: HostConfigOptions, dialect: string): Omit<Launch, "env"> {
  return { command, args: [...before, "mcp", ...(dialect === "cadre" ? [] : ["--dialect", dialect])] };
}
