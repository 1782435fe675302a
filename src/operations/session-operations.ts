// Conversations: which there are, what was said in them, and letting go of them.
import * as z from "zod";
import { redactor } from "../domain/redaction.ts";
import { oneLine } from "../domain/summaries.ts";
import { transcriptText } from "../domain/transcript.ts";
import { expireSessions, expiryOf } from "../engine/index.ts";
import { authorityDenied, invalidInput, sessionNotFound } from "../errors/index.ts";
import { AgentName, BackendName, SessionId, SessionView, TaskId, TaskStatus } from "../schema/index.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { reach, reachable } from "./reach.ts";
import { readTranscript } from "./read-transcript.ts";

export const getSession = defineOperation({
  authority: "agent",
  summary: "Show a session: its messages, its tasks, and the breadcrumbs of its children.",
  input: z.strictObject({ session: SessionId }),
  output: SessionView,
  run: (context, { session }) => reachSession(context, session),
});

/** One that is there, has not expired, and that the caller may see. */
async function reachSession(context: OperationContext, id: SessionId): Promise<SessionView> {
  const view = await context.engine.parts.store.session(id);
  if (view === undefined || view.expiredAt !== null) throw sessionNotFound(id);
  const first = view.tasks[0];
  if (first !== undefined && context.caller.inside !== null) {
    // Not by the task's own name: whoever asks knows only the session's.
    await reach(context, first).catch(() => {
      throw sessionNotFound(id);
    });
  }
  return view;
}

const ABOUT_MAX = 200;
const PAGE_MAX = 500;

const SessionRow = z.strictObject({
  id: SessionId,
  agent: z.string(),
  /** Of its latest task. */
  status: TaskStatus,
  backend: BackendName,
  latest: TaskId,
  parent: SessionId.nullable(),
  tasks: z.int(),
  messages: z.int(),
  /** What it began with, on one line. */
  about: z.string(),
  openedAt: z.int(),
  updatedAt: z.int(),
});

export const listSessions = defineOperation({
  authority: "agent",
  summary: "List sessions that can be gone on with, the last used first.",
  input: z.strictObject({
    agent: AgentName.optional(),
    before: SessionId.optional(),
    limit: z.int().min(1).max(PAGE_MAX).default(50),
  }),
  output: z.strictObject({ sessions: z.array(SessionRow), next: SessionId.nullable() }),
  async run(context, { agent, before, limit }) {
    const page = await context.engine.parts.store.sessions({ agent, before, limit });
    const rows = await Promise.all(page.map((view) => rowOf(context, view)));
    return {
      sessions: rows.filter((row) => row !== undefined),
      next: page.length < limit ? null : (page.at(-1)?.id ?? null),
    };
  },
});

async function rowOf(context: OperationContext, view: SessionView): Promise<z.input<typeof SessionRow> | undefined> {
  const id = view.tasks.at(-1);
  const latest = id === undefined ? undefined : await context.engine.parts.store.task(id);
  if (latest === undefined || (await reachable(context, [latest])).length === 0) return undefined;
  return {
    id: view.id,
    agent: view.agent,
    status: latest.status,
    backend: latest.backend,
    latest: latest.id,
    parent: view.parent,
    tasks: view.tasks.length,
    messages: view.messages.length,
    about: oneLine(view.messages[0]?.content ?? latest.spec.prompt, ABOUT_MAX),
    openedAt: view.openedAt,
    updatedAt: view.updatedAt,
  };
}

const DAY_MS = 86_400_000;

export const pruneSessions = defineOperation({
  authority: "person",
  summary: "Let go of sessions, with their files: these, or all that were not used for so many days. The log stays.",
  input: z.strictObject({
    sessions: z.array(SessionId).max(PAGE_MAX).optional(),
    /** Without it, as the settings say. */
    unusedDays: z.number().nonnegative().optional(),
  }),
  output: z.strictObject({
    pruned: z.array(SessionId),
    /** In use: a task of theirs, or the tree that they belong to, has not ended. */
    kept: z.array(SessionId),
  }),
  async run({ engine, caller, signal }, { sessions, unusedDays }) {
    const { parts } = engine;
    if (sessions !== undefined && unusedDays !== undefined)
      throw invalidInput("either sessions are named, or the days that they were not used");
    const now = parts.clock.now();
    const by = caller.by;
    if (sessions === undefined) {
      const { unusedSince } = expiryOf(parts);
      const since = unusedDays === undefined ? unusedSince : now - unusedDays * DAY_MS;
      return { pruned: await expireSessions(parts, { unusedSince: since, by }, signal), kept: [] };
    }
    const found = await Promise.all(sessions.map((id) => parts.store.session(id)));
    const missing = sessions.find((_, index) => found[index] === undefined || found[index].expiredAt !== null);
    if (missing !== undefined) throw sessionNotFound(missing);
    const gone = await Promise.all(sessions.map((id) => parts.store.expireSession(id, by, now + 1)));
    return { pruned: sessions.filter((_, index) => gone[index]), kept: sessions.filter((_, index) => !gone[index]) };
  },
});

export const exportSession = defineOperation({
  authority: "agent",
  summary: "Make a transcript of a session, as Markdown or as JSON. For a file outside of the home, a person's.",
  input: z.strictObject({
    session: SessionId,
    format: z.enum(["markdown", "json"]).default("markdown"),
    /** Whether the caller will write it to a file of its own choice. */
    toFile: z.boolean().default(false),
  }),
  output: z.strictObject({ session: SessionId, format: z.enum(["markdown", "json"]), text: z.string() }),
  async run(context, { session: id, format, toFile }) {
    const { caller } = context;
    if (toFile && (caller.authority !== "person" || caller.inside !== null))
      throw authorityDenied("session.export", "to a file is a person's to decide");
    const { store, credentials } = context.engine.parts;
    // What agents said was redacted before it was written down; what people asked for was not.
    const transcript = redactor(credentials.known()).json(await readTranscript(store, await reachSession(context, id)));
    const text = format === "json" ? `${JSON.stringify(transcript, null, 2)}\n` : transcriptText(transcript);
    return { session: id, format, text };
  },
});
