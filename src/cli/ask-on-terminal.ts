// An approval, put to the person at this terminal: whole, escaped, and with what each key means.
import type { Answer, Approval } from "../schema/index.ts";
import { askLine } from "./ask-line.ts";
import type { Output } from "./output.ts";
import { plainlyShown, safeLine, safeText } from "./render/safe-text.ts";

export async function askOnTerminal(approval: Approval, out: Output, signal: AbortSignal): Promise<Answer> {
  out.talk("");
  out.talk(out.colors.bold(safeText(approval.title)));
  out.talk(plainlyShown(approval.body));
  if (approval.kind === "question") {
    const text = await askLine("Your answer (empty: none): ", signal);
    return text.trim() === "" ? { verdict: "deny", note: "no answer" } : { verdict: "text", text };
  }
  const { grants } = approval;
  const always = grants.length === 0 ? "" : `  [a] always: ${safeLine(grants.join(", "))}`;
  const keys = `[y] once  [t] for this task${always}  [N] no`;
  const key = (await askLine(`Allow? ${keys}: `, signal)).trim().toLowerCase();
  if (key === "y") return { verdict: "allow", scope: "once" };
  if (key === "t") return { verdict: "allow", scope: "task" };
  if (key === "a" && grants.length > 0) return { verdict: "allow", scope: "always" };
  return { verdict: "deny" };
}
