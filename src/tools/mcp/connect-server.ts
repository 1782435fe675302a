// One server from its start to its list of tools, in either era of the protocol. Loaded when an agent has a server.
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { resolve } from "node:path";
import { isInScopes } from "../../domain/scopes.ts";
import { findProgram } from "../../platform/find-program.ts";
import { namedFiles } from "../../platform/named-files.ts";
import { workerEnvironment } from "../../platform/process-environment.ts";
import type { Command } from "../../ports/index.ts";
import type { McpServer } from "../../schema/index.ts";
import { connectAddress } from "./connect-address.ts";
import type { ConnectedServer, ConnectWish } from "./connected-server.ts";
import { ServerFault } from "./message-lines.ts";
import { openClient, wordsOf } from "./open-client.ts";
import { ProgramTransport } from "./program-transport.ts";

const PROBE_MS = 5_000;

export async function connectServer(wish: ConnectWish): Promise<ConnectedServer> {
  if ("url" in wish.server) return connectAddress(wish, wish.server);
  const program = wish.server;
  try {
    return await connectProgram(wish, program, "auto");
  } catch (error) {
    wish.signal.throwIfAborted();
    // Some servers of the older era end when they are asked in the newer one: such a one is started again.
    if (!(error instanceof EndedEarly)) throw error;
    return connectProgram(wish, program, "legacy");
  }
}

class EndedEarly extends ServerFault {}

type Program = Extract<McpServer, { command: string }>;

async function connectProgram(wish: ConnectWish, server: Program, era: "auto" | "legacy"): Promise<ConnectedServer> {
  const { keep, confinement } = wish.attempt;
  const transport = new ProgramTransport(keep.spawn(confinement.wrap(commandOf(wish, server))));
  const how = { ...wish, transport, era, probeMs: PROBE_MS, callMs: server.timeout_ms };
  try {
    return await openClient({ ...how, end: async () => transport.close() });
  } catch (error) {
    await transport.close();
    const isEarly = era === "auto" && error instanceof SdkError && error.code !== SdkErrorCode.RequestTimeout;
    throw new (isEarly ? EndedEarly : ServerFault)(wordsOf(error, transport));
  }
}

/** A launcher that hides in the command fetches nothing, and runs nothing on its way. */
const FETCHES_NOTHING = {
  npm_config_offline: "true",
  npm_config_ignore_scripts: "true",
  npm_config_yes: "false",
  UV_OFFLINE: "1",
  PIP_NO_INDEX: "1",
};

function commandOf({ attempt, values, reads }: ConnectWish, { command, args, cwd: folder = "." }: Program): Command {
  const { workspace, task } = attempt;
  const cwd = resolve(workspace.root, folder);
  const own = workerEnvironment();
  const given = ["PATH", "HOME", "LANG"].filter((name) => task.spec.policy.env.allow.includes(name));
  const env: Record<string, string> = {
    ...Object.fromEntries(given.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))),
    ...values,
    ...FETCHES_NOTHING,
  };
  if (!isInScopes(folder, ["."])) throw new ServerFault(`its folder, ${folder}, lies outside of the project`);
  const found = findProgram(command, { cwd, path: env["PATH"] });
  if (!found.ok) throw new ServerFault(found.problem);
  return { file: command, args, cwd, env, reads: [...namedFiles(args), ...reads] };
}
