import { CadreError, type ErrorExtra } from "./cadre-error.ts";

export const invalidInput = (what: string, extra?: ErrorExtra) => new CadreError("input.invalid", what, extra);

export const invalidDefinition = (where: string, what: string, hint?: string) =>
  new CadreError("definition.invalid", `${where}: ${what}`, { hint, facts: { where } });

/** `unread`: a file that may be its, and could not be read. */
export const agentNotFound = (
  name: string,
  nearest: string | undefined,
  unread?: { readonly source: string; readonly message: string },
) =>
  new CadreError("agent.not-found", `there is no agent called "${name}"`, {
    hint:
      unread !== undefined
        ? `Its file has a mistake: ${unread.source}: ${unread.message}`
        : nearest === undefined
          ? "List those there are: cadre agents"
          : `Did you mean "${nearest}"? List all: cadre agents`,
    facts: { agent: name, ...(nearest === undefined ? {} : { nearest }) },
  });

export const agentUntrusted = (name: string, folder: string) =>
  new CadreError("agent.untrusted", `the agent "${name}" comes from a folder that is not trusted: ${folder}`, {
    hint: "Read its files, then say so: cadre trust",
    facts: { agent: name, folder },
  });

/** `by` says whose word that is, and where it stands. */
export const agentDisabled = (name: string, by: string, hint: string) =>
  new CadreError("agent.disabled", `the agent "${name}" is disabled by ${by}`, { hint, facts: { agent: name, by } });

export const backendNotFound = (name: string, known: readonly string[]) =>
  new CadreError("backend.not-found", `there is no backend called "${name}"`, {
    hint: `This build has: ${known.join(", ")}`,
    facts: { backend: name },
  });

export const invalidHome = (path: string, what: string, hint: string) =>
  new CadreError("home.invalid", `${path} cannot be Cadre's home: ${what}`, { hint, facts: { path } });
