// Keys of the user: which are there, and what they say about whom to ask. Values stay where they are.
import * as z from "zod";
import type { Credentials } from "../ports/index.ts";
import { mint } from "./system.ts";

export type Env = Readonly<Record<string, string | undefined>>;

const DeclaredKeys = z.record(z.string(), z.looseObject({ key: z.string() }).nullable().catch(null)).catch({});

/** Variables that the user's config names as keys of providers, whatever they are called. Whoever opens models checks them. */
export const declaredKeys = (providers: unknown): readonly string[] =>
  Object.values(DeclaredKeys.parse(providers)).flatMap((provider) => provider?.key ?? []);

/**
 * What this process has of the user's secrets: variables that are called like secrets, and those that are declared to be.
 * Only names and hashes are ever written down.
 */
export function environmentSecrets(env: Env, declared: readonly string[]): Pick<Credentials, "available" | "known"> {
  /** Every task asks again. Of each name only the latest: what a key was before is nobody's business. */
  const hashes = new Map<string, { readonly of: string; readonly sha256: string }>();
  const hashOf = (name: string, value: string): string => {
    const known = hashes.get(name);
    if (known?.of === value) return known.sha256;
    const sha256 = mint.sha256(value);
    hashes.set(name, { of: value, sha256 });
    return sha256;
  };
  return {
    known: () =>
      Object.entries(env).flatMap(([name, value]) =>
        value !== undefined && (isSecret(name) || declared.includes(name)) ? [[name, value]] : [],
      ),
    available: async (names) =>
      names.flatMap((name) => {
        const value = env[name] ?? "";
        if (value === "") hashes.delete(name);
        return value === "" ? [] : [{ name, sha256: hashOf(name, value) }];
      }),
  };
}

/** By its name: what is in it cannot be told from anything else. */
const isSecret = (name: string): boolean => /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|_PAT)$/i.test(name);

const MODEL_BY_KEY = {
  ANTHROPIC_API_KEY: "sonnet",
  ANTHROPIC_AUTH_TOKEN: "sonnet",
  OPENAI_API_KEY: "gpt",
  GEMINI_API_KEY: "pro",
  GOOGLE_GENERATIVE_AI_API_KEY: "pro",
} as const;

/** Where nobody has chosen a model, a key that is set says whom its owner means to ask. */
export const modelByKey = (env: Env): string | null =>
  Object.entries(MODEL_BY_KEY).find(([name]) => (env[name] ?? "") !== "")?.[1] ?? null;
