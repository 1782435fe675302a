import { CadreError } from "./cadre-error.ts";

export const storeUnavailable = (file: string, what: string, hint: string, cause?: unknown) =>
  new CadreError("store.unavailable", `${file} ${what}`, { hint, facts: { file }, cause });
