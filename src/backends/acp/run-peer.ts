// One attempt on a peer, in order: what it may see, its process, its session, the prompt.
import type { Attempt, AttemptScope, BackendEnd, Clock } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { BY_DOCUMENTS, notBelieved } from "../cli/by-documents.ts";
import { fieldsOf } from "../driven/json-fields.ts";
import { type PieceIn, RawLog } from "../driven/raw-log.ts";
import { type Remembered, SessionFolder } from "../driven/session-folder.ts";
import { openModelAccess } from "../model-access/open-model-access.ts";
import { OwnTools } from "../own-tools/own-tools.ts";
import type { AcpOptions } from "./acp-backend.ts";
import { Conversation } from "./conversation.ts";
import { firstPrompt } from "./first-prompt.ts";
import { holdFor, unkeepable } from "./hold.ts";
import { openSession, type OpenSession, type SessionWish } from "./open-session.ts";
import { ownCallsOf } from "./own-call.ts";
import { PeerDesks } from "./peer-desks.ts";
import { fail } from "./peer-end.ts";
import { given, peerVariables, plainEnvironment } from "./peer-environment.ts";
import type { HeldBy, Preset } from "./presets.ts";
import { secondServer } from "./second-server.ts";
import { type Peer, startPeer } from "./start-peer.ts";
import { within } from "./within.ts";

export async function runPeer(
  preset: Preset,
  options: AcpOptions,
  attempt: Attempt,
  scope: AttemptScope,
): Promise<BackendEnd> {
  const { spec } = attempt.task;
  const [file, ...args] = spec.definition.command ?? preset.command ?? [];
  if (file === undefined) return fail("backend_error", `"${spec.definition.name}" names no command to run`);
  const { commands } = attempt.confinement.label;
  const known = preset.known ?? "tried";
  const unbelieved = notBelieved({ name: preset.name, known }, spec.policy, commands === "os");
  if (unbelieved !== null) return fail("refused", unbelieved.message);
  const second = preset.servers === undefined ? null : secondServer(preset.name, preset.servers, attempt.workspace);
  if (second !== null) return fail("refused", second);
  if (known === "documents") {
    const text = `${preset.name} is known to Cadre ${BY_DOCUMENTS}`;
    await scope.append({ type: "note.taken", level: "warning", text });
  }
  const closed = unkeepable(spec.policy, commands !== "policy");
  if (closed !== undefined) return fail("refused", `${closed}, and nothing on this machine could hold the peer to it`);
  if (commands === "policy") await scope.append({ type: "note.taken", level: "warning", text: UNCONFINED });
  const folder = new SessionFolder(options.home, spec.session, preset.name);
  folder.prepare();
  const own = await OwnTools.open(options.ownTools, attempt, scope);
  if (own !== undefined && "kind" in own) return own;
  const raw = new RawLog({ home: options.home, attempt, scope, pieceIn });
  const plain = plainEnvironment(attempt, options.home, folder.home, options.lookup);
  const desks = await PeerDesks.open(attempt, scope, plain, {
    readCommand: options.readCommand,
    dialect: preset.dialect,
    isOwnCall: ownCallsOf(own?.names ?? []),
  });
  scope.signal.throwIfAborted();
  const access = await openModelAccess({
    apis: preset.apis,
    variables: given(preset.variables, options.lookup),
    confinement: attempt.confinement,
    keyGateway: options.keyGateway ?? true,
  });
  const env = { ...plain, ...peerVariables(preset, holdFor(spec.policy), wantedModel(spec), access.variables) };
  const command = { file, args, cwd: attempt.workspace.root, env };
  const letGo = async () => {
    for (const one of [desks, access, own]) await one?.[Symbol.asyncDispose]();
    await raw.close(scope);
  };
  const peer = startPeer(attempt, scope, command, desks.talk, options.clock, raw);
  if ("kind" in peer) {
    await letGo();
    return peer;
  }
  const close = async () => {
    await peer.close();
    await letGo();
  };
  try {
    const remembered = folder.recall();
    const opened = await openInTime(peer, wishFor(preset, options, attempt, remembered, own), options, scope);
    if ("kind" in opened) {
      await close();
      return opened;
    }
    folder.remember({ id: opened.id, task: attempt.task.id, totals: null });
    desks.talk.session = opened.id;
    desks.heldMode = opened.mode;
    for (const text of opened.notes) await scope.append({ type: "note.taken", level: "info", text });
    const conversation = new Conversation({
      connection: peer.connection,
      session: opened.id,
      desks,
      scope,
      clock: options.clock,
      wantsJson: spec.definition.output !== undefined,
      cancelledWords: preset.cancelledWords,
      takeUsage: () => access.takeUsage(),
      own,
      failureOf: (error) => peer.failureOf(error),
      close,
    });
    if (preset.listsLate === true && own !== undefined) await untilListed(own, options.clock, scope.signal);
    return await conversation.run(await promptFor(options, attempt, opened, remembered, own));
  } catch (error) {
    await close();
    throw error;
  }
}

const LISTED_MS = 10_000;
const TAKEN_IN_MS = 500;

/** It says nothing when it has taken in what it was told: that is not waited for, but given a moment. */
async function untilListed({ listed }: OwnTools, clock: Clock, signal: AbortSignal): Promise<void> {
  await within(clock, LISTED_MS, listed);
  await clock.sleep(TAKEN_IN_MS, signal);
}

const UNCONFINED =
  "files and network are not enforced for this peer: nothing confines it here, and what it does without asking it does with all rights of its worker";

async function openInTime(
  peer: Peer,
  wish: SessionWish,
  { clock, lookup }: AcpOptions,
  { signal }: AttemptScope,
): Promise<OpenSession | BackendEnd> {
  const over = Promise.withResolvers<never>();
  const stop = () => over.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([openSession(peer.connection, wish, clock, lookup), over.promise]);
  } catch (error) {
    if (signal.aborted) throw error;
    return peer.failureOf(error);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function wishFor(
  preset: Preset,
  { version }: AcpOptions,
  attempt: Attempt,
  known: Remembered | undefined,
  own: OwnTools | undefined,
): SessionWish {
  const { spec } = attempt.task;
  const must = wantedModel(spec);
  return {
    cwd: attempt.workspace.root,
    preset,
    heldBy: heldBy(preset, attempt),
    known: known?.id,
    model:
      must !== null
        ? { name: must, isMust: preset.modelVariable === undefined }
        : spec.model === null
          ? null
          : { name: spec.model, isMust: false },
    version,
    own: own === undefined ? undefined : { url: own.url, token: attempt.token },
  };
}

/** Where the operating system keeps a peer from changing anything, a mode that says so is not needed. */
function heldBy(preset: Preset, { task, confinement }: Attempt): HeldBy | undefined {
  const hold = holdFor(task.spec.policy);
  if (hold === "free" || (hold === "reading" && confinement.label.commands === "os")) return undefined;
  return preset.heldBy[hold];
}

/** What the definition itself names. Cadre's own default is for Cadre's own loop. */
const wantedModel = ({ definition, model }: TaskSpec): string | null => (definition.model === "inherit" ? null : model);

async function promptFor(
  { contextFor, mint }: AcpOptions,
  attempt: Attempt,
  { isResumed }: OpenSession,
  known: Remembered | undefined,
  own: OwnTools | undefined,
): Promise<string> {
  const seen = isResumed ? attempt.history.findLastIndex(({ task }) => task === known?.task) + 1 : 0;
  return firstPrompt(attempt, {
    context: (await contextFor?.(attempt)) ?? [],
    history: attempt.history.slice(seen),
    isAgain: isResumed && known?.task === attempt.task.id,
    nonce: mint.token().slice(0, 16),
    own,
  });
}

const PIECES: readonly unknown[] = ["agent_message_chunk", "agent_thought_chunk"];

/** Of a message that comes in chunks. */
const pieceIn: PieceIn = (message) => {
  const { sessionUpdate } = fieldsOf(fieldsOf(fieldsOf(message)["params"])["update"]);
  return PIECES.includes(sessionUpdate) ? ["params", "update", "content", "text"] : undefined;
};
