// One attempt of a CLI, from its home to its end.
import { join } from "node:path";
import { mintToken } from "../../platform/system-mint.ts";
import type { Attempt, AttemptScope, BackendEnd } from "../../ports/index.ts";
import type { Amount, ModelUsage } from "../../schema/index.ts";
import type { Cli, ReadCommand } from "./cli.ts";
import type { CliOptions } from "./cli-options.ts";
import { type CliFinder, compareVersions, type FoundCli } from "./find-cli.ts";
import { jsonIn } from "./json-fields.ts";
import { chooseModel, type ChosenModel, pricedName } from "./model-name.ts";
import { instructionsOf, promptOf } from "./prompts.ts";
import { protectedIn } from "./protected-names.ts";
import { type CliRun, runCli } from "./run-cli.ts";
import type { Totals } from "./said.ts";
import { redactor } from "./secrets.ts";
import { SessionFolder } from "./session-folder.ts";
import { Teller } from "./teller.ts";

const NOTHING_UNDERSTOOD: ReadCommand = () => ({ commands: null, isReadOnly: false });

export class CliAttempt {
  readonly #cli: Cli;
  readonly #options: CliOptions;
  readonly #finder: CliFinder;
  readonly #attempt: Attempt;
  readonly #scope: AttemptScope;
  readonly #folder: SessionFolder;
  #teller: Teller | undefined;
  #spent: Amount | undefined;

  constructor(cli: Cli, options: CliOptions, finder: CliFinder, attempt: Attempt, scope: AttemptScope) {
    this.#cli = cli;
    this.#options = options;
    this.#finder = finder;
    this.#attempt = attempt;
    this.#scope = scope;
    this.#folder = new SessionFolder(join(options.home, "sessions"), attempt.task.spec.session, cli.name);
  }

  async run(): Promise<BackendEnd> {
    const found = await this.#finder.find();
    if (found.kind === "missing") return { kind: "failed", reason: "backend_unavailable", message: found.problem };
    const unsafe = await this.#cli.unsafe?.(this.#attempt.workspace.root);
    if (unsafe !== undefined) return { kind: "failed", reason: "refused", message: unsafe };
    if (found.version !== undefined && compareVersions(found.version, this.#cli.tested) > 0) {
      const text = `${this.#cli.name} is ${found.version}; Cadre was tried with ${this.#cli.tested}`;
      await this.#scope.append({ type: "note.taken", level: "info", text });
    }
    const { spec } = this.#attempt.task;
    if (this.#attempt.confinement.label.commands === "policy" && this.#cli.runsFreely(spec)) {
      const text = `files and network are not enforced for commands that ${this.#cli.name} runs: nothing on this machine confines them`;
      await this.#scope.append({ type: "note.taken", level: "warning", text });
    }
    const knows = this.#knows();
    const resume = knows === "nothing" ? undefined : this.#folder.recall()?.id;
    return this.#launch(found, promptOf(this.#attempt, knows, mintToken().slice(0, 12)), resume);
  }

  /** Whether the CLI's own conversation is the session's: nothing was said elsewhere since. */
  #knows(): "nothing" | "history" | "task" {
    const { task, history } = this.#attempt;
    const known = this.#folder.recall();
    if (known === undefined) return "nothing";
    if (known.task === task.id) return "task";
    return history.at(-1)?.task === known.task ? "history" : "nothing";
  }

  async #launch(found: FoundCli, prompt: string, resume: string | undefined): Promise<BackendEnd> {
    const { task, workspace, confinement, keep } = this.#attempt;
    const { spec } = task;
    const schema = spec.definition.output?.schema;
    const isKept = schema !== undefined && this.#cli.keepsSchema(schema);
    const model = chooseModel(spec, this.#cli.models, this.#options.resolveModel);
    const variables = this.#variables();
    const launch = this.#cli.launch({
      attempt: this.#attempt,
      prompt,
      instructions: instructionsOf(spec, isKept ? undefined : schema),
      resume,
      model: model.kind === "named" ? model.name : undefined,
      schema: isKept ? schema : undefined,
      program: found.file,
      home: this.#folder.home,
      project: this.#options.project,
      variables,
      readCommand: this.#options.readCommand ?? NOTHING_UNDERSTOOD,
    });
    this.#folder.prepare(launch.files, launch.programs);
    const { userHome } = this.#options;
    if (this.#finder.key === undefined && userHome !== undefined) this.#folder.link(userHome, this.#finder.logins);
    const env = { ...this.#environment(), ...variables, ...launch.env };
    const { key } = this.#finder;
    const secrets = key === undefined ? {} : { [key]: variables[key] ?? "" };
    const redact = redactor({ ...secrets, CADRE_TOKEN: this.#attempt.token });
    this.#teller ??= new Teller(this.#scope, redact, spec.limits.maxOutputKb, await this.#turnsBefore());
    const command = confinement.wrap({ file: found.file, args: launch.args, cwd: workspace.root, env });
    const before = this.#folder.recall();
    const isCounted = this.#cli.counts === "session" && resume !== undefined && before?.id === resume;
    const totalsBefore = isCounted ? before.totals : null;
    const protectedBefore = protectedIn(workspace.root);
    let session: string | undefined;
    const remember = (totals: Totals | null) => {
      if (session !== undefined) this.#folder.remember({ id: session, task: task.id, totals });
    };
    const run = await runCli({
      name: this.#cli.name,
      keep,
      command,
      launch,
      scope: this.#scope,
      teller: this.#teller,
      onSession: (id) => {
        if (id === session) return;
        session = id;
        remember(id === resume ? totalsBefore : null);
      },
    });
    if (run.totals !== undefined) remember(run.totals);
    await this.#sayWhatIsNew(protectedBefore);
    await this.#count(run, totalsBefore, model);
    return this.#endOf(run, found, session);
  }

  /** A command may have made what no tool may. Whoever runs the next program there should know. */
  async #sayWhatIsNew(before: readonly string[]): Promise<void> {
    const made = protectedIn(this.#attempt.workspace.root).filter((name) => !before.includes(name));
    if (made.length === 0 || this.#scope.signal.aborted) return;
    const text = `while ${this.#cli.name} ran, files were made that decide what other programs do: ${made.join(", ")}`;
    await this.#scope.append({ type: "note.taken", level: "warning", text });
  }

  #endOf({ end }: CliRun, found: FoundCli, session: string | undefined): BackendEnd {
    const spent = this.#spent;
    if (end.kind === "failed") return { ...end, spent };
    const wantsJson = this.#attempt.task.spec.definition.output !== undefined;
    const output = wantsJson ? (end.output ?? jsonIn(end.answer)) : undefined;
    const answer = end.answer.trim() === "" && output !== undefined ? JSON.stringify(output) : end.answer;
    const revise =
      session === undefined ? undefined : (feedback: string) => this.#launch(found, revision(feedback), session);
    return { kind: "answered", answer, output, spent, revise };
  }

  /** What this attempt has cost: what the conversation has cost by now, less what it had before. */
  async #count({ totals }: CliRun, before: Totals | null, model: ChosenModel): Promise<void> {
    if (totals === undefined) return;
    const usage = less(totals, before);
    const microUsd =
      totals.microUsd === null
        ? model.kind === "named"
          ? ((await this.#options.priceOf?.(pricedName(this.#cli.models, model.name), usage)) ?? 0)
          : 0
        : Math.max(0, totals.microUsd - (before?.microUsd ?? 0));
    const sofar = this.#spent ?? { microUsd: 0, tokens: 0 };
    this.#spent = {
      microUsd: sofar.microUsd + Math.ceil(microUsd),
      tokens: sofar.tokens + usage.inputTokens + usage.outputTokens,
    };
  }

  async #turnsBefore(): Promise<number> {
    const past = await this.#scope.past();
    return past.reduce((most, event) => (event.type === "turn.started" ? Math.max(most, event.turn) : most), 0);
  }

  /** Its key, and what else of the user's it may have. */
  #variables(): Record<string, string> {
    const { env } = this.#options;
    const names = [...(this.#finder.key === undefined ? [] : [this.#finder.key]), ...this.#cli.variables];
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = Object.hasOwn(env, name) ? env[name] : undefined;
        return value === undefined || value === "" ? [] : [[name, value] as const];
      }),
    );
  }

  /** The whole of it: nothing else of ours reaches the program. */
  #environment(): Record<string, string> {
    const { env, home } = this.#options;
    const { task, token } = this.#attempt;
    return {
      PATH: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
      LANG: env["LANG"] ?? "C.UTF-8",
      TERM: "dumb",
      NO_COLOR: "1",
      HOME: this.#folder.home,
      TMPDIR: join(this.#folder.home, "tmp"),
      CADRE_TASK: task.id,
      CADRE_ATTEMPT: task.id,
      CADRE_TOKEN: token,
      CADRE_HOME: home,
    };
  }
}

const revision = (feedback: string): string =>
  `Your answer was not accepted:\n${feedback}\n\nCorrect it, and give your whole answer again as your last message.`;

function less(now: Totals, before: Totals | null): ModelUsage {
  const of = (name: keyof ModelUsage) => Math.max(0, now[name] - (before?.[name] ?? 0));
  return {
    inputTokens: of("inputTokens"),
    outputTokens: of("outputTokens"),
    cacheReadTokens: of("cacheReadTokens"),
    cacheWriteTokens: of("cacheWriteTokens"),
    reasoningTokens: of("reasoningTokens"),
  };
}
