// What a peer says of its own tool calls, put together and written down once for each: what it did is in the log although
// it was not done by us. This is the one place that reports them.
import type { AttemptScope, WorkEvent } from "../../ports/index.ts";
import type { ToolDialect } from "../../domain/tool-names.ts";
import type { CallId } from "../../schema/index.ts";
import { meantBy } from "./foreign-use.ts";
import { someJson, wholeJson } from "./foreign-json.ts";
import type { ToolCallFacts } from "./messages.ts";
import type { IsOwnCall } from "./own-call.ts";
import type { PermitDesk } from "./permit-desk.ts";

const MAX_OPEN = 200;
const MAX_REPORTS = 2_000;
const MAX_KEPT = 256 * 1024;
const MAX_INPUT = 32 * 1024;
const MAX_OUTPUT = 16 * 1024;

interface Tracked {
  readonly facts: ToolCallFacts;
  /** It was too large to be kept until its end. */
  readonly isCut: boolean;
  /** Of one of our own tools, which write down themselves what they do; whatever it is called later. */
  readonly isOwn: boolean;
  /** Of a call that was put to the policy: those that are in the log already. */
  readonly calls: readonly CallId[] | "refused" | undefined;
}

export class ToolReports {
  readonly #scope: Pick<AttemptScope, "append">;
  readonly #desk: PermitDesk;
  readonly #dialect: ToolDialect | undefined;
  readonly #isOwnCall: IsOwnCall;
  readonly #ended = new Set<string>();
  readonly #open = new Map<string, Tracked>();
  #count = 0;

  constructor(
    scope: Pick<AttemptScope, "append">,
    desk: PermitDesk,
    dialect: ToolDialect | undefined,
    isOwnCall: IsOwnCall,
  ) {
    this.#isOwnCall = isOwnCall;
    this.#scope = scope;
    this.#desk = desk;
    this.#dialect = dialect;
  }

  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** What is known of a call by now, with what this message adds. */
  merge(news: ToolCallFacts): ToolCallFacts {
    const before = this.#open.get(news.toolCallId)?.facts;
    if (before === undefined) return news;
    const said = Object.entries(news).filter(([, value]) => value !== undefined);
    return { ...before, ...Object.fromEntries(said) };
  }

  /** What is known of it is not all that it is about. */
  isCut(id: string): boolean {
    return this.#open.get(id)?.isCut ?? false;
  }

  /** It was announced as one of our own tools. */
  isOwn(id: string): boolean {
    return this.#open.get(id)?.isOwn ?? false;
  }

  /** It was asked about: the log has it already, by these names. */
  decided(facts: ToolCallFacts, calls: readonly CallId[] | "refused"): void {
    this.#track(this.merge(facts), calls);
  }

  async take(news: ToolCallFacts): Promise<void> {
    if (this.#ended.has(news.toolCallId)) return; // an afterthought
    const facts = this.merge(news);
    const calls = this.#open.get(news.toolCallId)?.calls;
    const isOwn = this.#isOwn(facts);
    if (facts.status !== "completed" && facts.status !== "failed") return this.#track(facts, calls);
    this.#open.delete(news.toolCallId);
    this.#remember(news.toolCallId);
    if (!isOwn) await this.#report(facts, calls, facts.status === "completed");
  }

  /** The turn is over: what it said nothing more about. */
  async endOpen(): Promise<void> {
    const left = [...this.#open.values()];
    this.#open.clear();
    for (const { facts, calls, isOwn } of left)
      if (!isOwn) await this.#report(facts, calls, false, "how it ended was not reported");
  }

  #track(facts: ToolCallFacts, calls: Tracked["calls"]): void {
    const isCut = this.isCut(facts.toolCallId) || wholeJson(facts, MAX_KEPT) === undefined;
    const kept = isCut ? { ...facts, ...CUT, rawInput: someJson(facts.rawInput, MAX_INPUT) } : facts;
    this.#open.set(facts.toolCallId, { facts: kept, isCut, isOwn: this.#isOwn(facts), calls });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
  }

  #isOwn(facts: ToolCallFacts): boolean {
    return this.#open.get(facts.toolCallId)?.isOwn === true || this.#isOwnCall(facts);
  }

  #remember(id: string): void {
    this.#ended.add(id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_REPORTS && oldest !== undefined) this.#ended.delete(oldest);
  }

  async #report(facts: ToolCallFacts, calls: Tracked["calls"], ok: boolean, words?: string): Promise<void> {
    if (calls === "refused" || ++this.#count > MAX_REPORTS) return;
    if (this.#count === MAX_REPORTS) await this.#scope.append(TOO_MANY);
    const whole = words ?? outputOf(facts);
    const output = whole.slice(0, MAX_OUTPUT);
    const truncated = output.length < whole.length;
    if (calls !== undefined) {
      for (const call of calls) await this.#desk.returned(call, ok, output, truncated);
      return;
    }
    const { tool, effect } = meantBy(facts, this.#dialect);
    const input = someJson({ title: facts.title, ...inputOf(facts) }, MAX_INPUT);
    await this.#scope.append({ type: "tool.reported", tool, effect, input, ok, output, truncated });
  }
}

const CUT = { content: undefined, locations: undefined, rawOutput: undefined };

const TOO_MANY: WorkEvent = {
  type: "note.taken",
  level: "warning",
  text: `the peer has reported ${MAX_REPORTS} tool calls: further ones are not written down`,
};

/** All that a call is about. */
export const inputOf = ({ kind, name, rawInput, content, locations }: ToolCallFacts) => ({
  ...(kind === undefined ? {} : { kind }),
  ...(name === undefined ? {} : { name }),
  ...(rawInput === undefined ? {} : { input: rawInput }),
  ...changesIn(content),
  ...(locations === undefined || locations.length === 0 ? {} : { files: locations.map(({ path }) => path) }),
});

function changesIn(content: ToolCallFacts["content"]): object {
  const changes = (content ?? []).flatMap((one) =>
    one.type === "diff" ? [{ path: one.path, from: one.oldText ?? null, to: one.newText }] : [],
  );
  return changes.length === 0 ? {} : { changes };
}

function outputOf({ content, rawOutput }: ToolCallFacts): string {
  const texts = (content ?? []).flatMap((one) => (one.type === "content" ? [one.content.text] : []));
  if (texts.length > 0) return texts.join("\n");
  if (typeof rawOutput === "string") return rawOutput;
  const value = someJson(rawOutput ?? null, MAX_OUTPUT);
  return value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
