import type { Cadre } from "../app/index.ts";
import { invalidInput, sessionNotFound } from "../errors/index.ts";

const SESSIONS_MAX = 500;

/** What a person calls a session, as its id: the whole id, its beginning or its end, if that fits one only. */
export async function resolveSession(cadre: Cadre, text: string): Promise<string> {
  const { sessions } = await cadre.call("session.list", { limit: SESSIONS_MAX });
  const ids = sessions.map(({ id }) => id);
  if (ids.some((id) => id === text)) return text;
  const fitting = ids.filter((id) => (text.startsWith("sess_") ? id.startsWith(text) : id.endsWith(text)));
  const [id] = fitting;
  if (fitting.length > 1)
    throw invalidInput(`"${text}" fits ${fitting.length} sessions`, {
      hint: "Give more of the id, or the whole of it: cadre sessions",
    });
  if (id !== undefined) return id;
  // One that is not listed, such as that of a child, has to be named in full.
  if (!text.startsWith("sess_")) throw sessionNotFound(text);
  return text;
}
