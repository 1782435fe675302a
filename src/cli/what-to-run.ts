import type { Cadre } from "../app/index.ts";
import { invalidInput } from "../errors/index.ts";

const SHOWN = 12;

interface Typed {
  readonly agent?: string | undefined;
  readonly prompt?: string | undefined;
}

/**
 * The agent and the prompt that were typed. None, or only an agent's name: then the person is told what to type, and for
 * whom, unless `otherwise` says what an agent alone is to do.
 */
export async function whatToRun(
  cadre: Cadre,
  { agent, prompt }: Typed,
  otherwise: string | undefined,
): Promise<Typed & { readonly prompt: string }> {
  const isOneWord = agent === undefined && prompt !== undefined && /^[A-Za-z0-9_-]{2,}$/.test(prompt);
  if (prompt !== undefined && !isOneWord) return { agent, prompt };
  const { agents } = await cadre.call("agent.list", {});
  const all = agents.map(({ definition }) => definition.name);
  const meant = all.find((name) => name.toLowerCase() === prompt?.toLowerCase());
  if (prompt !== undefined && meant === undefined) return { agent, prompt };
  if (meant !== undefined && otherwise !== undefined) return { agent: meant, prompt: otherwise };
  const names = agents.filter(({ trusted }) => trusted).map(({ definition }) => definition.name);
  const more = names.length > SHOWN ? ", …" : "";
  throw invalidInput(meant === undefined ? "say what is to be done" : `say what ${meant} is to do`, {
    hint: `cadre run ${meant ?? "[agent]"} "What to do". Agents: ${names.slice(0, SHOWN).join(", ")}${more} (cadre agents)`,
  });
}
