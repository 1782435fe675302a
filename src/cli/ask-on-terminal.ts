// An approval, put to the person at this terminal: whole, escaped, and with what each key means.
import { createInterface } from "node:readline/promises";
import type { Answer, Approval } from "../schema/index.ts";
import type { Output } from "./output.ts";
import { safeText } from "./render/safe-text.ts";

export async function askOnTerminal(approval: Approval, out: Output, signal: AbortSignal): Promise<Answer> {
  out.talk("");
  out.talk(out.colors.bold(safeText(approval.title)));
  out.talk(safeText(approval.body));
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if (approval.kind === "question") {
      const text = await reader.question("Your answer (empty: none): ", { signal });
      return text.trim() === "" ? { verdict: "deny", note: "no answer" } : { verdict: "text", text };
    }
    const key = (await reader.question("Allow? [y] once  [t] for this task  [N] no: ", { signal }))
      .trim()
      .toLowerCase();
    if (key === "y") return { verdict: "allow", scope: "once" };
    if (key === "t") return { verdict: "allow", scope: "task" };
    return { verdict: "deny" };
  } finally {
    reader.close();
  }
}
