import type { Cadre } from "../app/index.ts";
import { invalidInput } from "../errors/index.ts";

const SHOWN = 12;

/** The prompt that was typed. None, or only an agent's name: then the person is told what to type, and for whom. */
export async function promptFor(cadre: Cadre, agent: string | undefined, prompt: string | undefined): Promise<string> {
  const isOneWord = agent === undefined && prompt !== undefined && /^[A-Za-z0-9_-]{2,}$/.test(prompt);
  if (prompt !== undefined && !isOneWord) return prompt;
  const { agents } = await cadre.call("agent.list", {});
  const all = agents.map(({ definition }) => definition.name);
  const meant = all.find((name) => name.toLowerCase() === prompt?.toLowerCase());
  if (prompt !== undefined && meant === undefined) return prompt;
  const names = agents.filter(({ trusted }) => trusted).map(({ definition }) => definition.name);
  const more = names.length > SHOWN ? ", …" : "";
  throw invalidInput(meant === undefined ? "say what is to be done" : `say what ${meant} is to do`, {
    hint: `cadre run ${meant ?? "[agent]"} "What to do". Agents: ${names.slice(0, SHOWN).join(", ")}${more} (cadre agents)`,
  });
}
