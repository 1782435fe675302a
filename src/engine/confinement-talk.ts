import { CadreError } from "../errors/index.ts";
import { carriesSecret } from "../domain/outbound-secrets.ts";
import { redactor, type Redactor } from "../domain/redaction.ts";
import type { ConfinementWish, HeldEvent } from "../ports/index.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";

export interface ConfinementTalk extends Pick<ConfinementWish, "onRefused" | "carriesSecret" | "warn"> {
  /** Resolves when all that was said so far is in the log. */
  said(): Promise<void>;
}

/** What a confinement says, in its order. Names of hosts are words of a program, too: redacted. */
export function confinementTalk({ credentials }: RunningParts, journal: Journal, token: string): ConfinementTalk {
  let made: Redactor | undefined;
  /** Most attempts refuse nothing: made when there is something to say. */
  const secrets = (): Redactor => (made ??= redactor([...credentials.known(), ["CADRE_TOKEN", token]]));
  let last: Promise<unknown> = Promise.resolve();
  const say = (event: HeldEvent): void => {
    last = last.then(() => journal.append(event)).catch(letStaleGo);
    last.catch(() => undefined); // whoever waits for it is told
  };
  return {
    onRefused: ({ host, port, why }) =>
      say({ type: "host.refused", host: secrets().text(host), port, why: secrets().text(why) }),
    carriesSecret: (text) => carriesSecret(text, (one) => secrets().text(one)),
    warn: (text) => say({ type: "note.taken", level: "warning", text: secrets().text(text) }),
    said: async () => void (await last),
  };
}

/** An attempt that is not ours any more has nothing more to say. */
function letStaleGo(error: unknown): void {
  if (!(CadreError.isInstance(error) && error.code === "attempt.stale")) throw error;
}
