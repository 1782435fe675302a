// What a setting may hold: how it is checked, read from plain text, and what "tighter" means for it.
import * as z from "zod";
import { BASELINE, intersectPolicies } from "../domain/policy.ts";
import { intersectScopes } from "../domain/scopes.ts";
import { JsonObject, Network, UserMcpServers } from "../schema/index.ts";

export type ConfigValue = number | boolean | string | null | string[] | JsonObject;

export interface Kind {
  readonly schema: z.ZodType<ConfigValue>;
  /** To be read after "must be". */
  readonly wants: string;
  /** From an environment variable or a command line. */
  readonly fromText: (text: string) => unknown;
  /** Every layer adds to those below it, also one that may widen. */
  readonly isAdditive?: true;
  /** As much of a wish as is no wider than the value below it. */
  readonly meet: (wish: ConfigValue, below: ConfigValue) => ConfigValue;
}

const MOST = 1_000_000_000;

const numeric = (schema: z.ZodType<ConfigValue>, wants: string): Kind => ({
  schema,
  wants,
  fromText: (text) => (/^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text),
  meet: (wish, below) => Math.min(Number(wish), Number(below)),
});

export const COUNT = numeric(z.int().min(1).max(MOST), "a whole number above 0");
export const MINUTES = numeric(z.number().positive().max(1_000_000), "a number above 0");

export const SWITCH: Kind = {
  schema: z.boolean(),
  wants: "true or false",
  fromText: switchOf,
  meet: (wish, below) => wish === true && below === true,
};

/** A safeguard: on is the tighter of the two. */
export const SAFEGUARD: Kind = { ...SWITCH, meet: (wish, below) => wish === true || below === true };

const listed = (item: z.ZodString, wants: string, meet: (wish: string[], below: string[]) => string[]): Kind => ({
  schema: z.array(item),
  wants,
  fromText: listOf,
  meet: (wish, below) => meet(itemsOf(wish), itemsOf(below)),
});

// oxlint-disable-next-line eslint/no-control-regex -- no path holds a NUL
const PATH = z.string().regex(/^[^\u0000]+$/);
export const PATHS = listed(PATH, "a list of paths", intersectScopes);

const VARIABLE = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
export const VARIABLES = listed(VARIABLE, "a list of names of variables", (wish, below) =>
  wish.filter((name, index) => below.includes(name) && wish.indexOf(name) === index),
);

const HOST_NAME = z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/);
export const NAMES = listed(HOST_NAME, "a list of hosts", (wish, below) => wish.filter((name) => below.includes(name)));

const HOST = z.string().regex(/^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/);
export const HOSTS: Kind = {
  schema: z.union([z.boolean(), z.array(HOST)]),
  wants: "true, false or a list of hosts",
  fromText(text) {
    const either = switchOf(text);
    return typeof either === "boolean" ? either : listOf(text);
  },
  meet(wish, below) {
    const [a, b] = [Network.parse(wish), Network.parse(below)];
    return intersectPolicies({ ...BASELINE, network: a }, { ...BASELINE, network: b }).network;
  },
};

/** What is not a matter of more or less. A project does not get to say it. */
const word = (schema: z.ZodType<ConfigValue>, wants: string): Kind => ({
  schema,
  wants,
  fromText: (text) => text,
  meet: (_wish, below) => below,
});

const STRICTNESS: readonly ConfigValue[] = ["off", "best", "required"];
/** How much of the operating system's help programs need: more is tighter. */
export const CONFINEMENT: Kind = {
  ...word(z.enum(["off", "best", "required"]), "off, best or required"),
  meet: (wish, below) => (STRICTNESS.indexOf(wish) > STRICTNESS.indexOf(below) ? wish : below),
};

export const RESTRICTED: Kind = {
  ...word(z.enum(["restricted", "inherit"]), "restricted or inherit"),
  meet: (wish, below) => (wish === "inherit" ? below : wish),
};
const CAUTION: readonly ConfigValue[] = ["allow", "queue", "refuse"];
/** Whether tasks may write in one place at the same time: refusing is the tightest. */
export const COLLISIONS: Kind = {
  ...word(z.enum(["queue", "refuse", "allow"]), "queue, refuse or allow"),
  meet: (wish, below) => (CAUTION.indexOf(wish) > CAUTION.indexOf(below) ? wish : below),
};
export const TEXT = word(z.string().min(1), "text");
export const MCP_SERVERS: Kind = {
  ...word(
    JsonObject.refine((value) => UserMcpServers.safeParse(value).success),
    "a map of MCP servers: name to command, args, env, or to url, headers",
  ),
  fromText: () => null,
};
export const MAP: Kind = { ...word(JsonObject, "a map"), fromText: () => null };

const RULE = z.string().regex(/^[^()\s]+(\(.+\))?$/s);
/** Rules that let through: fewer are tighter. */
export const ALLOWED = listed(RULE, "a list of tools or rules, such as Bash(git diff *)", (wish, below) =>
  wish.filter((rule) => below.includes(rule)),
);
/** Rules that stop: more are tighter. */
export const STOPPED: Kind = {
  ...listed(RULE, "a list of tools or rules, such as Bash(git push *)", (wish, below) => [
    ...new Set([...below, ...wish]),
  ]),
  isAdditive: true,
};

const itemsOf = (value: ConfigValue): string[] => (Array.isArray(value) ? value : []);

function switchOf(text: string): unknown {
  return text === "true" ? true : text === "false" ? false : text;
}

/** `src, docs`, with or without brackets. Brackets with nothing inside are the empty list. */
function listOf(text: string): string[] {
  const inner = /^\[(.*)\]$/s.exec(text.trim())?.[1] ?? text;
  const items = inner.split(",").map((item) => item.trim());
  return items.length === 1 && items[0] === "" ? [] : items;
}
