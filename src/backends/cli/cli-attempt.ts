// One attempt of a CLI, from its home to its end.
import { join } from "node:path";
import { jsonIn } from "../driven/json-answer.ts";
import { RawLog } from "../driven/raw-log.ts";
import { SessionFolder } from "../driven/session-folder.ts";
import { type ModelAccess, openModelAccess } from "../model-access/open-model-access.ts";
import { OwnTools } from "../own-tools/own-tools.ts";
import { mintToken } from "../../platform/system-mint.ts";
import type { Answered, Attempt, AttemptScope, BackendEnd } from "../../ports/index.ts";
import type { Cost } from "../../schema/index.ts";
import { BY_DOCUMENTS, notBelieved } from "./by-documents.ts";
import type { Cli, ReadCommand } from "./cli.ts";
import { plainEnvironment, variablesFor } from "./cli-environment.ts";
import type { CliOptions } from "./cli-options.ts";
import { type PriceOf, spentOn } from "./cli-usage.ts";
import { type CliFinder, compareVersions, type FoundCli } from "./find-cli.ts";
import { chooseModel, type ChosenModel, pricedName } from "./model-name.ts";
import { instructionsOf, promptOf } from "./prompts.ts";
import { protectedIn, removeEmptied } from "./protected-in.ts";
import { type CliEnd, runCli } from "./run-cli.ts";
import type { Totals } from "./said.ts";
import { Teller } from "./teller.ts";

const NOTHING_UNDERSTOOD: ReadCommand = () => ({ commands: null, isReadOnly: false });

export class CliAttempt {
  readonly #cli: Cli;
  readonly #options: CliOptions;
  readonly #finder: CliFinder;
  readonly #attempt: Attempt;
  readonly #scope: AttemptScope;
  readonly #folder: SessionFolder;
  readonly #raw: RawLog;
  #access: ModelAccess | undefined;
  #own: OwnTools | undefined;
  #teller: Teller | undefined;
  #spent: Cost | undefined;
  /** Some start did not tell what it took: what is known is a part, and must not pass for all of it. */
  #isUntold = false;
  /** The CLI's own name of its conversation, once it has said it. */
  #session: string | undefined;

  constructor(cli: Cli, options: CliOptions, finder: CliFinder, attempt: Attempt, scope: AttemptScope) {
    this.#cli = cli;
    this.#options = options;
    this.#finder = finder;
    this.#attempt = attempt;
    this.#scope = scope;
    this.#folder = new SessionFolder(options.home, attempt.task.spec.session, cli.name);
    this.#raw = new RawLog({ home: options.home, attempt, scope, pieceIn: cli.pieceIn });
  }

  async run(): Promise<BackendEnd> {
    const found = await this.#finder.find();
    if (found.kind === "missing") return { kind: "failed", reason: "backend_unavailable", message: found.problem };
    const { confinement, task } = this.#attempt;
    const unbelieved = notBelieved(this.#cli, task.spec.policy, confinement.label.commands === "os");
    if (unbelieved !== null) return { kind: "failed", reason: "refused", message: unbelieved.message };
    const unsafe = await this.#cli.unsafe?.(this.#attempt.workspace.root);
    if (unsafe !== undefined) return { kind: "failed", reason: "refused", message: unsafe };
    await this.#sayWhatIsKnown(found);
    return this.#closedIfOver(async () => {
      this.#access = await this.#openAccess();
      const own = await OwnTools.open(this.#options.ownTools, this.#attempt, this.#scope);
      if (own !== undefined && "kind" in own) return own;
      this.#own = own;
      const knows = this.#knows();
      const resume = knows === "nothing" ? undefined : this.#folder.recall()?.id;
      const context = (await this.#options.contextFor?.(this.#attempt)) ?? [];
      return this.#converse(found, promptOf(this.#attempt, knows, context, mintToken().slice(0, 12)), resume);
    });
  }

  async #sayWhatIsKnown({ version }: FoundCli): Promise<void> {
    const { name, tested, known } = this.#cli;
    if (known === "documents") {
      const text = `${name} is known to Cadre ${BY_DOCUMENTS}: what it says may be read wrongly`;
      await this.#scope.append({ type: "note.taken", level: "warning", text });
    } else if (version !== undefined && compareVersions(version, tested) > 0) {
      const text = `${name} is ${version}; Cadre was tried with ${tested}`;
      await this.#scope.append({ type: "note.taken", level: "info", text });
    }
    const { task, confinement } = this.#attempt;
    if (confinement.label.commands === "policy" && this.#cli.runsFreely(task.spec)) {
      const text = `files and network are not enforced for commands that ${name} runs: nothing confines them here`;
      await this.#scope.append({ type: "note.taken", level: "warning", text });
    }
  }

  /** Whether the CLI's own conversation is the session's: nothing was said elsewhere since. */
  #knows(): "nothing" | "history" | "task" {
    const { task, history } = this.#attempt;
    const known = this.#folder.recall();
    if (known === undefined) return "nothing";
    if (known.task === task.id) return "task";
    return history.at(-1)?.task === known.task ? "history" : "nothing";
  }

  #openAccess(): Promise<ModelAccess> {
    const { keyGateway = true } = this.#options;
    const variables = variablesFor(this.#cli, this.#finder, this.#options);
    const { confinement } = this.#attempt;
    return openModelAccess({ apis: [this.#cli.api], variables, confinement, keyGateway });
  }

  /** Until it has ended as it has to. */
  async #converse(found: FoundCli, prompt: string, resume: string | undefined): Promise<BackendEnd> {
    const own = this.#own;
    let end = await this.#launch(found, prompt, resume);
    if (own === undefined) return this.#offer(found, end);
    while (!this.#scope.signal.aborted) {
      await own.idle();
      if (own.finished !== undefined) end = { kind: "answered", ...own.finished };
      if (end.kind === "failed") break;
      const left = await own.left();
      if (left.kind === "nothing") break;
      end = left.kind === "stuck" ? left.end : await this.#launch(found, left.text, this.#session);
    }
    return this.#offer(found, end);
  }

  #offer(found: FoundCli, end: CliEnd): BackendEnd {
    const spent = this.#isUntold ? undefined : this.#spent;
    if (end.kind === "failed") return { ...end, spent };
    const wantsJson = this.#attempt.task.spec.definition.output !== undefined;
    const output = wantsJson ? (end.output ?? jsonIn(end.answer)) : undefined;
    const answer = end.answer.trim() === "" && output !== undefined ? JSON.stringify(output) : end.answer;
    const session = this.#session;
    const revise: Answered["revise"] =
      session === undefined
        ? undefined
        : (feedback) =>
            this.#closedIfOver(() => {
              this.#own?.reopen();
              return this.#converse(found, revision(feedback, this.#own?.exits ?? []), session);
            });
    return {
      kind: "answered",
      answer,
      output,
      exit: this.#own?.finished?.exit,
      spent,
      revise,
      close: async () => {
        await this.#close();
        return undefined;
      },
    };
  }

  async #launch(found: FoundCli, prompt: string, resume: string | undefined): Promise<CliEnd> {
    const { task, workspace, confinement, keep } = this.#attempt;
    const { spec } = task;
    const schema = this.#own?.exits.length ? undefined : spec.definition.output?.schema;
    const isKept = schema !== undefined && this.#cli.keepsSchema(schema);
    const model = chooseModel(spec, this.#cli.models, this.#options.resolveModel);
    const variables = this.#access?.variables ?? variablesFor(this.#cli, this.#finder, this.#options);
    const before = this.#folder.recall();
    const isCounted = this.#cli.counts === "session" && resume !== undefined && before?.id === resume;
    const totalsBefore = isCounted ? before.totals : null;
    const leftMicroUsd = this.#leftMicroUsd();
    if (leftMicroUsd === 0) return { kind: "failed", reason: "budget", message: "nothing of the budget is left" };
    const launch = this.#cli.launch({
      attempt: this.#attempt,
      prompt,
      instructions: instructionsOf(spec, isKept ? undefined : schema, this.#own),
      resume,
      model: model.kind === "named" ? model.name : undefined,
      mostMicroUsd: leftMicroUsd === null ? null : leftMicroUsd + (totalsBefore?.microUsd ?? 0),
      schema: isKept ? schema : undefined,
      program: found.file,
      home: this.#folder.home,
      project: this.#options.project,
      variables,
      readCommand: (line, root) =>
        (this.#options.readCommand ?? NOTHING_UNDERSTOOD)(
          line,
          root,
          confinement.label.commands === "os" ? "os" : "nothing",
        ),
      own: this.#own,
    });
    this.#folder.prepare(launch.files, launch.programs);
    const { userHome } = this.#options;
    const logins = this.#finder.key === undefined && userHome !== undefined ? this.#finder.logins : [];
    this.#folder.link(userHome ?? "/", logins);
    const writes = [this.#folder.home, ...logins.map((name) => join(userHome ?? "/", name))];
    const env = { ...plainEnvironment(this.#attempt, this.#options, this.#folder.home), ...variables, ...launch.env };
    this.#teller ??= new Teller(this.#scope, spec.limits.maxOutputKb, await this.#turnsBefore());
    const command = confinement.wrap({ file: found.file, args: launch.args, cwd: workspace.root, env, writes });
    const protectedBefore = protectedIn(workspace.root);
    const remember = (totals: Totals | null) => {
      if (this.#session !== undefined) this.#folder.remember({ id: this.#session, task: task.id, totals });
    };
    let isKnown = false;
    const run = await runCli({
      name: this.#cli.name,
      keep,
      command,
      launch,
      scope: this.#scope,
      teller: this.#teller,
      raw: this.#raw,
      onSession: (id) => {
        if (isKnown && id === this.#session) return;
        isKnown = true;
        this.#session = id;
        remember(id === resume ? totalsBefore : null);
      },
    }).finally(() => {
      const isCutShort = this.#scope.signal.aborted;
      if (isCutShort && this.#cli.leavesEmpty === true) removeEmptied(workspace.root, protectedBefore);
    });
    if (run.totals !== undefined) remember(run.totals);
    await this.#sayWhatIsNew(protectedBefore);
    const metered = this.#access?.takeUsage();
    if (run.totals !== undefined) await this.#count(run.totals, totalsBefore, model);
    else if (metered !== undefined) await this.#count({ ...metered, microUsd: null }, null, model);
    else this.#isUntold = true;
    return run.end;
  }

  /** A command may have made what no tool may. Whoever runs the next program there should know. */
  async #sayWhatIsNew(before: readonly string[]): Promise<void> {
    const made = protectedIn(this.#attempt.workspace.root).filter((name) => !before.includes(name));
    if (made.length === 0 || this.#scope.signal.aborted) return;
    const text = `while ${this.#cli.name} ran, files were made that decide what other programs do: ${made.join(", ")}`;
    await this.#scope.append({ type: "note.taken", level: "warning", text });
  }

  /** It may be started several times. */
  #leftMicroUsd(): number | null {
    const most = this.#attempt.mostMicroUsd();
    return most === null ? null : Math.max(0, most - (this.#spent?.microUsd ?? 0));
  }

  async #count(totals: Totals, before: Totals | null, model: ChosenModel): Promise<void> {
    const priceOf: PriceOf = async (usage) =>
      model.kind === "named"
        ? ((await this.#options.priceOf?.(pricedName(this.#cli.models, model.name), usage)) ?? null)
        : null;
    const { microUsd, tokens } = await spentOn(totals, before, priceOf);
    const sofar = this.#spent ?? { microUsd: 0, tokens: 0 };
    this.#spent = {
      microUsd: sofar.microUsd === null || microUsd === null ? null : sofar.microUsd + microUsd,
      tokens: sofar.tokens + tokens,
    };
  }

  async #turnsBefore(): Promise<number> {
    const past = await this.#scope.past();
    return past.reduce((most, event) => (event.type === "turn.started" ? Math.max(most, event.turn) : most), 0);
  }

  /** Whatever comes of it but an answer, that was it: what was opened for the attempt is closed. */
  async #closedIfOver(work: () => Promise<BackendEnd>): Promise<BackendEnd> {
    let end: BackendEnd | undefined;
    try {
      end = await work();
      return end;
    } finally {
      if (end?.kind !== "answered") await this.#close();
    }
  }

  async #close(): Promise<void> {
    await this.#access?.[Symbol.asyncDispose]();
    await this.#own?.[Symbol.asyncDispose]();
    await this.#raw.close(this.#scope);
  }
}

const revision = (feedback: string, exits: readonly string[]): string =>
  exits.length > 0
    ? `Your work was not accepted:\n${feedback}\n\nCorrect it, and end your task again by ${exits.join(" or ")}.`
    : `Your answer was not accepted:\n${feedback}\n\nCorrect it, and give your whole answer again as your last message.`;
