import * as z from "zod";
import { sessionNotFound } from "../errors/index.ts";
import { SessionId, SessionView } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";
import { reach } from "./reach.ts";

export const getSession = defineOperation({
  authority: "agent",
  summary: "Show a session: its messages, its tasks, and the breadcrumbs of its children.",
  input: z.strictObject({ session: SessionId }),
  output: SessionView,
  async run(context, { session }) {
    const view = await context.engine.parts.store.session(session);
    if (view === undefined) throw sessionNotFound(session);
    const first = view.tasks[0];
    if (first !== undefined) await reach(context, first);
    return view;
  },
});
