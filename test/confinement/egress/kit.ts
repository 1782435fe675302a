// Real programs in the network of a real attempt, and servers of this machine that stand for the Internet.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";
import { userInfo } from "node:os";
import { onTestFinished } from "vitest";
import { type Egress, type EgressOptions, openEgress } from "../../../src/confinement/egress/open-egress.ts";
import { openNamespace } from "../../../src/confinement/egress/open-namespace.ts";
import { openCustody } from "../../../src/custody/index.ts";
import type { HostRefusal, Kept } from "../../../src/ports/index.ts";
import { ownerOf } from "../../custody/owner-of.ts";
import { textOf } from "../text-of.ts";

/** Empty where this machine cannot do it: test/structure/machine.test.ts says so, and fails for it on CI. */
export const machines: readonly { readonly user: string }[] = await openNamespace([]).then(
  ({ namespace }) => {
    namespace.close();
    return [{ user: userInfo().uid === 0 ? "root" : "a user" }];
  },
  () => [],
);

const custody = await openCustody();
let opened = 0;

export interface Ran {
  readonly out: string;
  readonly errors: string;
  readonly code: number | string;
}

export interface Attempt {
  readonly egress: Egress;
  readonly refusals: readonly HostRefusal[];
  readonly start: (script: string, env?: Readonly<Record<string, string>>) => Kept;
  /** What a Node program in there says, with `get` and `raw` at hand. */
  readonly run: (script: string, env?: Readonly<Record<string, string>>) => Promise<Ran>;
  readonly end: () => Promise<void>;
}

/** By a proxy, with Node's own client; and by a bare connection to `host:port`, with what is sent there. */
const AT_HAND = `
const net = require("node:net");
const get = (url) => new Promise((done) => {
  require("node:http").get(url, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part) => (text += part)).on("end", () => done(answer.statusCode + " " + text.trim()));
  }).on("error", (e) => done("failed " + e.code));
});
const raw = (port, text, host = "127.0.0.1") => new Promise((done) => {
  let said = "";
  const socket = net.connect(port, host, () => socket.write(text));
  socket.setEncoding("utf8").on("data", (part) => (said += part)).on("end", () => done(said)).on("error", (e) => done(said + e.code));
});
const proxy = Number(new URL(process.env.HTTP_PROXY).port);
const connect = (place) => raw(proxy, "CONNECT " + place + " HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n");
`;

export type Wishes = Partial<Pick<EgressOptions, "network" | "privateHosts" | "resolve" | "carriesSecret">>;

/** An attempt whose programs are held to this network. Every name leads to this machine, unless said otherwise. */
export async function openAttempt(wishes: Wishes = {}): Promise<Attempt> {
  const refusals: HostRefusal[] = [];
  const egress = await openEgress({
    network: false,
    privateHosts: [],
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    onRefused: (refusal) => refusals.push(refusal),
    carriesSecret: () => false,
    ...wishes,
  });
  const keep = custody.open(ownerOf("egress", ++opened));
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= keep.endAll().then(() => egress.release()));
  onTestFinished(end);
  const start: Attempt["start"] = (script, env = {}) =>
    keep.spawn({
      file: process.execPath,
      args: [
        "-e",
        `${AT_HAND}(async () => {${script}})().then((said) => { if (said !== undefined) console.log(said); })`,
      ],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "", ...egress.env, ...env },
      enter: egress.enter,
    });
  return { egress, refusals, start, end, run: async (script, env) => ran(start(script, env)) };
}

async function ran({ stdout, stderr, exited }: Kept): Promise<Ran> {
  const [out, errors, how] = await Promise.all([textOf(stdout), textOf(stderr), exited]);
  return { out: out.trim(), errors: errors.trim(), code: how.kind === "exited" ? how.code : how.kind };
}

/** A web server of this machine, closed with its test. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(answer);
  return { server, port: await listening(server) };
}

export async function listening(server: NetServer): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    if ("closeAllConnections" in server && typeof server.closeAllConnections === "function")
      server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}
