import { invalidDefinition, invalidInput } from "../errors/index.ts";
import { TextProblem } from "./text/text-problem.ts";

export const unknownHost = (host: string, known: readonly string[]) =>
  invalidInput(`there is no host called "${host}"`, { hint: `There are: ${known.join(", ")}` });

export const noSuchScope = (title: string, scope: string) =>
  invalidInput(`${title} has no configuration of the ${scope}`, {
    hint: scope === "project" ? "Connect it for the user: --user" : "Connect it for the project: --project",
  });

export const noPersonas = (title: string) =>
  invalidInput(`${title} has no personas`, { hint: "Only Gemini CLI has them: cadre connect gemini --personas" });

export const foreignEntry = (path: string, keys: readonly string[]) =>
  invalidInput(`${path} has an entry "${keys.join(".")}" already, which was not made by cadre connect`, {
    hint: "Nothing was changed. Rename or remove that entry, and connect again.",
    facts: { path },
  });

export const hostFileBusy = (path: string) =>
  invalidInput(`${path} is being changed by another program`, {
    hint: "Nothing was changed. Close that program, and try again.",
    facts: { path },
  });

/** What is wrong with a text, as what is wrong with its file. `hint` says what to do by hand. */
export async function inFile<T>(path: string, hint: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    const where = error.where === undefined ? path : `${path}:${error.where}`;
    throw invalidDefinition(where, error.message, `Nothing was changed. ${hint}`);
  }
}
