import type { Attempt } from "../../ports/index.ts";
import type { Hold, Preset } from "./presets.ts";

/** A variable of the worker, where it is set. */
export type Lookup = (name: string) => string | undefined;

export const given = (names: readonly string[], lookup: Lookup): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = lookup(name);
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  );

type Of = Pick<Attempt, "task" | "token" | "own">;

/** What a program may have of the worker's environment, what Cadre has to say itself, and a home of the session's own. */
export const plainEnvironment = ({ task, token, own }: Of, home: string, privateHome: string, lookup: Lookup) => ({
  ...given(task.spec.policy.env.allow, lookup),
  HOME: privateHome,
  CADRE_TASK: task.id,
  CADRE_ATTEMPT: task.id,
  CADRE_TOKEN: token,
  CADRE_HOME: home,
  CADRE_PLAN_FILE: own.plan,
  CADRE_WORKSPACE: own.folder,
});

/**
 * The peer's own: with what it needs to reach its model, which the programs that it has us start do not get. `own` are
 * those of the preset's variables that it has.
 */
export function peerVariables(
  preset: Preset,
  hold: Hold,
  model: string | null,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const { modelVariable } = preset;
  return {
    ...own,
    ...preset.fixed?.(hold, own),
    // `provider/model` is our way to say it.
    ...(modelVariable === undefined || model === null ? {} : { [modelVariable]: model.replace(/^[^/]*\//, "") }),
  };
}
