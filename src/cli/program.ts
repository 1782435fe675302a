import { Command as Program, CommanderError } from "commander";
import type { CadreOptions } from "../app/index.ts";
import { CadreError, invalidInput, needsStore } from "../errors/index.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, EXIT_FOR_ERROR, type Exit } from "./exit-codes.ts";
import { openOutput, type Output, type Streams } from "./output.ts";
import { safeText } from "./render/safe-text.ts";
import type { Unstored } from "./unstored.ts";

const FOOTER = `
Tasks are named by agent and number (oracle#4), by @last, or by the end of their id.
stdout is data, stderr is talk; --json gives {"schemaVersion", "data"} from every command.`;

/** Runs one command line and says what to exit with. Never throws: a bug is shown as one. */
export async function runCommandLine(
  argv: readonly string[],
  version: string,
  streams: Streams,
  signal: AbortSignal,
  unstored: Unstored,
): Promise<Exit> {
  let exit: Exit = EXIT.ok;
  let out = openOutput(streams, argv.includes("--json"));
  const program = new Program("cadre")
    .description("Sub-agents that are confined, durable, visible and within budget.")
    .version(version)
    .option("--home <folder>", "where Cadre keeps its state (default: the nearest .cadre, else ~/.cadre)")
    .option("--json", "print data as JSON")
    .addHelpText("after", FOOTER)
    .showSuggestionAfterError()
    // As each command's own help has it: `[agent] <prompt>` is the other way round for Commander.
    .configureHelp({ subcommandTerm: (sub) => `${sub.name()} ${sub.usage()}` })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      // `report` says it, as it says every error.
      outputError: () => {},
    });

  for (const load of loadersFor(argv)) {
    const command: Command = (await load()).command;
    add(program, command, async (args) => {
      const { home, json } = program.opts<{ home?: string; json?: boolean }>();
      out = openOutput(streams, json === true);
      const onProblem = (message: string) => out.talk(out.colors.yellow(safeText(message)));
      const open = async (options: CadreOptions = {}) => {
        const { openCadre } = await import("../app/index.ts");
        const isPerson = streams.stdin.isTTY === true;
        const cadre = await openCadre({ home, mouth: "cli", isPerson, onProblem, ...options });
        // What a resident that was killed had to leave goes on as soon as anybody looks.
        if (command.works !== true)
          await cadre.wakeWorker().catch((error: unknown) => onProblem(`no worker could be started: ${String(error)}`));
        return cadre;
      };
      await refuseInSandbox(command, streams.env);
      exit = await command.run({ out, streams, home, signal, unstored, open }, parse(command, args));
    });
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exit;
  } catch (error) {
    // Ctrl-C, before anything was begun.
    if (signal.aborted && error instanceof Error && error.name === "AbortError") return EXIT.cancelled;
    return report(error, out, helpFor(argv));
  }
}

async function refuseInSandbox({ usage, insteadInSandbox }: Command, env: Streams["env"]): Promise<void> {
  // The attempt's own home, whichever one the command line names.
  const home = env["CADRE_HOME"];
  if (insteadInSandbox === undefined || home === undefined) return;
  const { hatchOf } = await import("../app/hatch-folder.ts");
  if (hatchOf(home, env) === undefined) return;
  throw needsStore(`cadre ${usage.split(" ")[0]}`, insteadInSandbox);
}

/** The one command that is meant, or all of them where help or a suggestion is needed. */
function loadersFor(argv: readonly string[]) {
  const name = commandIn(argv);
  const meant = Object.entries(COMMANDS).filter(([known]) => known === name);
  return (meant.length > 0 ? meant : Object.entries(COMMANDS)).map(([, load]) => load);
}

const commandIn = (argv: readonly string[]): string =>
  argv.find((word, index) => !word.startsWith("-") && argv[index - 1] !== "--home") ?? "";

const helpFor = (argv: readonly string[]): string => {
  const name = commandIn(argv);
  return Object.hasOwn(COMMANDS, name) ? `See: cadre ${name} --help` : "See: cadre --help";
};

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/**
 * `<value...>` is an option that can be given several times, one value each. Commander would let it take all
 * the words that follow, the prompt among them.
 */
function addOption(sub: Program, flag: string, summary: string): void {
  if (!flag.includes("...")) sub.option(flag, summary);
  else {
    sub.option(flag.replace("...", ""), `${summary} (can be repeated)`, collect);
  }
}

function add(program: Program, command: Command, run: (args: Record<string, unknown>) => Promise<void>): void {
  const optionalFirst = /^(\S+) \[(\S+)\] <(\S+)>$/.exec(command.usage);
  const [, name, first, second] = optionalFirst ?? [];
  const usage = optionalFirst === null ? command.usage : `${name} [${first}] [${second}]`;
  const sub = program.command(usage, { hidden: command.hidden === true }).description(command.summary);
  if (optionalFirst !== null) sub.usage(`[options] [${first}] <${second}>`);
  for (const [flag, summary] of Object.entries(command.options ?? {})) addOption(sub, flag, summary);
  if (command.examples !== undefined)
    sub.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  ${line}`).join("\n")}`);
  sub.action(async () => {
    const positional = sub.registeredArguments.map((argument, index): [string, unknown] => [
      argument.name(),
      sub.processedArgs[index],
    ]);
    const [[, only] = ["", undefined], [, last] = ["", undefined]] = positional;
    // `[agent] <prompt>` with one word: that is the prompt.
    const isShort = optionalFirst !== null && last === undefined;
    await run({ ...sub.opts(), ...(isShort ? { [String(second)]: only } : Object.fromEntries(positional)) });
  });
}

function parse(command: Command, args: Record<string, unknown>): unknown {
  const parsed = command.args.safeParse(args);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const hint = `See: cadre ${command.usage.split(" ")[0]} --help`;
  throw invalidInput(`${asTyped(command, issue?.path[0])}: ${issue?.message ?? "not valid"}`, { hint });
}

/** `timeoutMs` is typed as `--timeout-ms`. An argument has no other name. */
function asTyped({ options = {} }: Command, name: PropertyKey = "arguments"): string {
  const flag = `--${String(name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return Object.keys(options).some((one) => one.split(/[ ,]+/).includes(flag)) ? flag : String(name);
}

/** Two lines: what happened, and what to do. */
function report(error: unknown, out: Output, help: string): Exit {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    // Help was asked for by saying nothing, and is shown. A program reads an object.
    if (error.code === "commander.help")
      return out.isJson ? report(invalidInput("no command is named"), out, help) : EXIT.usage;
    const what = error.message.replace(/^error: /, "").replaceAll("\n", " ");
    return report(invalidInput(what), out, help);
  }
  if (CadreError.isInstance(error)) {
    const { code, message, facts } = error;
    const hint = error.hint ?? (code === "input.invalid" ? help : undefined);
    if (out.isJson) out.data({ error: { code, message, hint: hint ?? null, facts } }, () => "");
    out.talk(`${out.colors.red("error")}: ${safeText(message)}`);
    if (hint !== undefined) out.talk(`hint: ${safeText(hint)}`);
    return EXIT_FOR_ERROR[code];
  }
  out.talk(`bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  out.talk("hint: This is a mistake in Cadre itself. Please report it, with the lines above.");
  return EXIT.bug;
}
