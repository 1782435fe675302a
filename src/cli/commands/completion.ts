import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import { findHome } from "../../app/find-home.ts";
import { type Command, type CommandContext, defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { FILES, SCRIPTS } from "../render/completion-scripts.ts";
import { safeLine } from "../render/safe-text.ts";
import { shortName, statusWords } from "../render/tasks.ts";

export const command = defineCommand({
  usage: "completion <shell>",
  summary: "Print a script that lets bash, zsh or fish complete commands, agents and tasks",
  operations: [],
  examples: ["source <(cadre completion bash)", "cadre completion fish | source"],
  args: z.object({ shell: z.enum(["bash", "zsh", "fish"]) }),
  async run({ out }, { shell }) {
    out.data({ shell, script: SCRIPTS[shell] }, ({ script }) => script.trimEnd());
    return EXIT.ok;
  },
});

type Loaders = Readonly<Record<string, () => Promise<{ command: Command }>>>;

const PATIENCE_MS = 1500;

/** What the scripts call, with the words after `cadre` as far as they are typed. It says nothing of its troubles. */
export const completeWith = (loaders: Loaders): Command<typeof Words> =>
  defineCommand({
    usage: "complete [words...]",
    hidden: true,
    summary: "What a word can be completed to: for the scripts of cadre completion",
    operations: ["agent.list", "task.list", "tool.list", "inbox.list", "config.list"],
    args: Words,
    async run(context, { words }) {
      const giveUp = setTimeout(() => process.exit(EXIT.ok), PATIENCE_MS).unref();
      const found = await candidates(loaders, context, words).catch(() => []);
      clearTimeout(giveUp);
      const lines = found.map(({ value, about }) => (about === "" ? value : `${value}\t${about}`));
      if (lines.length > 0) context.out.data(lines, () => lines.join("\n"));
      return EXIT.ok;
    },
  });

const Words = z.object({ words: z.array(z.string()).default([]) });

interface Candidate {
  readonly value: string;
  readonly about: string;
}

const GLOBAL = { "--home <folder>": "where Cadre keeps its state", "--json": "print data as JSON", "--help": "help" };
const ABOUT_WIDTH = 60;

async function candidates(loaders: Loaders, context: CommandContext, words: readonly string[]): Promise<Candidate[]> {
  const partial = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const found = await offered(loaders, context, before, partial);
  return found
    .filter(({ value }) => value === FILES || value.startsWith(partial))
    .map(({ value, about }) => ({ value, about: safeLine(about, ABOUT_WIDTH) }));
}

async function offered(
  loaders: Loaders,
  context: CommandContext,
  before: readonly string[],
  partial: string,
): Promise<Candidate[]> {
  const at = before.findIndex((word, index) => !word.startsWith("-") && before[index - 1] !== "--home");
  const name = before[at];
  if (name === undefined) {
    if (before.at(-1) === "--home") return FILES_ONLY;
    return partial.startsWith("-") ? flagsOf(GLOBAL) : commandsOf(loaders);
  }
  if (!Object.hasOwn(loaders, name)) return [];
  const loaded = (await loaders[name]?.())?.command;
  return loaded === undefined ? [] : wordsOf(loaded, context, before, before.slice(at + 1), partial);
}

/** Of one command: a value for the option that is open, an option, or the next of its arguments. */
async function wordsOf(
  of: Command,
  context: CommandContext,
  before: readonly string[],
  own: readonly string[],
  partial: string,
): Promise<Candidate[]> {
  const options = { ...of.options, ...GLOBAL };
  const isOver = own.includes("--");
  const open = isOver ? undefined : openOption(options, own);
  if (open !== undefined) return valuesFor(of, context, before, open);
  if (partial.startsWith("-") && !isOver) return flagsOf(options);
  const places = [...of.usage.matchAll(/[<[](\w+)(?:\.\.\.)?[>\]]/g)].map(([, place = ""]) => place);
  const place = places[positionals(options, own)];
  return place === undefined ? [] : valuesFor(of, context, before, place);
}

const parseFlag = (flag: string) => {
  const [names = "", value] = flag.split(/ (?=[<[])/);
  return { names: names.split(", "), isTaking: value !== undefined };
};

/** The option, by its name among the arguments, whose value is to come. */
function openOption(options: Readonly<Record<string, string>>, own: readonly string[]): string | undefined {
  const flag = Object.keys(options)
    .map(parseFlag)
    .find(({ names }) => names.includes(own.at(-1) ?? ""));
  const name = flag?.isTaking === true ? flag.names.at(-1)?.replace(/^--/, "") : undefined;
  return name?.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** How many of a command's arguments are there already. */
function positionals(options: Readonly<Record<string, string>>, own: readonly string[]): number {
  const taking = Object.keys(options)
    .map(parseFlag)
    .filter(({ isTaking }) => isTaking)
    .flatMap(({ names }) => names);
  return own.filter((word, index) => !word.startsWith("-") && !taking.includes(own[index - 1] ?? "")).length;
}

const FILES_ONLY: Candidate[] = [{ value: FILES, about: "" }];
const PATHS: ReadonlySet<string> = new Set(["home", "folder", "inputs", "tasks", "file", "out", "tokenFile"]);

/** What an argument or an option of that name can be: from its schema where that is a closed list. */
async function valuesFor(
  of: Command,
  context: CommandContext,
  before: readonly string[],
  name: string,
): Promise<Candidate[]> {
  const closed = closedList(of.args, name);
  if (closed !== null) return closed.map((value) => ({ value, about: "" }));
  if (PATHS.has(name)) return FILES_ONLY;
  const look = LOOKUPS.get(name);
  if (look === undefined) return [];
  const home = before[before.indexOf("--home") + 1];
  return withCadre(context, before.includes("--home") ? home : undefined, look);
}

function closedList(args: z.ZodType, name: string): string[] | null {
  let schema: unknown = args instanceof z.ZodObject ? args.shape[name] : undefined;
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodArray) {
    schema = schema instanceof z.ZodArray ? schema.element : schema.unwrap();
  }
  if (schema instanceof z.ZodUnion) schema = schema.options.find((option) => option instanceof z.ZodEnum);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : null;
}

type Lookup = (cadre: Cadre) => Promise<Candidate[]>;

const LOOKUPS: ReadonlyMap<string, Lookup> = new Map<string, Lookup>([
  [
    "agent",
    async (cadre) =>
      (await cadre.call("agent.list", {})).agents
        .filter(({ trusted }) => trusted)
        .map(({ definition }) => ({ value: definition.name, about: definition.description })),
  ],
  [
    "task",
    async (cadre) =>
      (await cadre.call("task.list", { limit: 50 })).tasks.map((task) => ({
        value: shortName(task),
        about: `${statusWords(task)}: ${task.spec.prompt}`,
      })),
  ],
  [
    "name", // of a tool
    async (cadre) =>
      (await cadre.call("tool.list", {})).tools.map(({ name, description }) => ({ value: name, about: description })),
  ],
  [
    "item",
    async (cadre) =>
      (await cadre.call("inbox.list", {})).items.flatMap(({ asked, isOpen }) =>
        asked !== null && isOpen ? [{ value: asked.id, about: asked.title }] : [],
      ),
  ],
  [
    "key",
    async (cadre) =>
      (await cadre.call("config.list", {})).settings.map(({ key, summary }) => ({ value: key, about: summary })),
  ],
]);

/** Pressing a key makes no home: where there is none, there is nothing to complete either. */
async function withCadre(context: CommandContext, home: string | undefined, look: Lookup): Promise<Candidate[]> {
  const place = findHome({ home, cwd: process.cwd(), env: context.streams.env, userHome: homedir() });
  if (!existsSync(place.home)) return [];
  await using cadre = await context.open({ home: place.home, onProblem: () => undefined });
  return await look(cadre);
}

const commandsOf = async (loaders: Loaders): Promise<Candidate[]> => {
  const all = await Promise.all(Object.values(loaders).map((load) => load()));
  return all
    .map((one) => one.command)
    .filter(({ hidden }) => hidden !== true)
    .map(({ usage, summary }) => ({ value: usage.split(" ")[0] ?? "", about: summary }));
};

const flagsOf = (options: Readonly<Record<string, string>>): Candidate[] =>
  Object.entries(options).flatMap(([flag, about]) => parseFlag(flag).names.map((value) => ({ value, about })));
