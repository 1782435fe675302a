import { invalidInput } from "../errors/index.ts";
import type { Configuration } from "../ports/index.ts";

const ALLOWED = "permissions.allow";

/** Rules into the user's own settings. Written before the answer is: one that cannot be kept is not given. */
export async function allowForGood(config: Configuration, rules: readonly string[]): Promise<void> {
  if (rules.length === 0)
    throw invalidInput("this cannot be allowed for good: no rule says exactly what it does", {
      hint: "Allow it once, or for this task.",
    });
  const { value, source } = await config.get(ALLOWED);
  if (source === "environment")
    throw invalidInput("this cannot be allowed for good: a variable of the environment says what is allowed", {
      hint: "Allow it once, or add it to CADRE_PERMISSIONS_ALLOW.",
    });
  const before = Array.isArray(value) ? value : [];
  const missing = rules.filter((rule) => !before.includes(rule));
  if (missing.length > 0) await config.set({ key: ALLOWED, value: [...before, ...missing], scope: "user" });
}
