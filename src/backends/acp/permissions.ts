// A peer asks whether its own tool may do something: our policy answers, after asking a person where it says so.
import type { CallId, Json } from "../../schema/index.ts";
import { commandIn, type ForeignUse, SWITCH_MODE, usesOf, type UseParts } from "./foreign-use.ts";
import { wholeJson } from "./foreign-json.ts";
import { PermissionWish, type ToolCallFacts } from "./messages.ts";
import type { IsOwnCall } from "./own-call.ts";
import type { PermitDesk } from "./permit-desk.ts";
import { readParams } from "./read-params.ts";
import { inputOf, type ToolReports } from "./tool-reports.ts";

const MAX_SHOWN = 1024 * 1024;

export type Outcome = {
  readonly outcome: { readonly outcome: "cancelled" } | { readonly outcome: "selected"; readonly optionId: string };
};
type Options = readonly { readonly optionId: string; readonly kind: string }[];

const CANCELLED: Outcome = { outcome: { outcome: "cancelled" } };

export interface PermissionParts extends UseParts {
  readonly desk: PermitDesk;
  readonly reports: ToolReports;
  readonly isOwnCall: IsOwnCall;
}

export async function answerPermission(parts: PermissionParts, params: unknown): Promise<Outcome> {
  const { toolCall, options } = readParams(PermissionWish, params);
  return parts.desk.inTurn(async () => {
    if (parts.desk.signal.aborted) return CANCELLED;
    try {
      const { reports } = parts;
      return await decide(parts, reports.merge(toolCall), options, reports.isCut(toolCall.toolCallId));
    } catch (error) {
      if (parts.desk.signal.aborted) return CANCELLED;
      throw error;
    }
  });
}

async function decide(
  parts: PermissionParts,
  facts: ToolCallFacts,
  options: Options,
  isCut: boolean,
): Promise<Outcome> {
  const { desk, reports } = parts;
  const allow = pick(options, "allow_once");
  const reject = select(pick(options, "reject_once") ?? pick(options, "reject_always"));
  if (!isCut && parts.isOwnCall(facts, reports.isOwn(facts.toolCallId))) return select(allow);
  const shown = isCut ? undefined : wholeJson({ title: facts.title, ...inputOf(facts) }, MAX_SHOWN);
  const problem = problemOf(facts, allow, shown);
  const calls: CallId[] = [];
  const uses = await usesOf(facts, parts);
  for (const use of uses) {
    const permission = await desk.permit({
      ...use,
      input: shown ?? facts.title ?? null,
      problem,
      of: facts.toolCallId,
    });
    if (permission.kind === "refused") {
      for (const call of calls) await desk.returned(call, false, "not done: another part of it was refused");
      desk.sayRefused(permission.decision.rule);
      reports.decided(facts, "refused");
      return reject;
    }
    calls.push(permission.call);
  }
  reports.decided(facts, calls);
  await grantExactly(parts, facts, uses, calls);
  return select(allow);
}

function problemOf(facts: ToolCallFacts, allow: string | undefined, shown: Json | undefined): string | undefined {
  if (facts.kind === SWITCH_MODE) return "the mode of a peer is not its own to change";
  if (allow === undefined) return "the peer offers no way to allow just this call";
  return shown === undefined ? "it is too large or too deep to be shown whole" : undefined;
}

/** Of an answer that is offered, and offered once: an id that means two things means neither. */
function pick(options: Options, kind: string): string | undefined {
  const found = options.find((option) => option.kind === kind)?.optionId;
  return options.filter(({ optionId }) => optionId === found).length === 1 ? found : undefined;
}

const select = (optionId: string | undefined): Outcome =>
  optionId === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId } };

/** Some peers then have us do the very thing. The same bytes are not asked about twice. */
async function grantExactly(
  { desk, places }: PermissionParts,
  facts: ToolCallFacts,
  uses: readonly ForeignUse[],
  calls: readonly CallId[],
): Promise<void> {
  for (const [index, call] of calls.entries()) {
    const use = uses[index];
    const line = commandIn(facts.rawInput);
    if (use?.effect === "exec" && line !== undefined) desk.grant({ kind: "exec", subject: line }, call);
    if (use?.effect !== "write" || use.path === undefined) continue;
    for (const one of facts.content ?? [])
      if (one.type === "diff" && (await places.really(one.path)) === use.path)
        desk.grant({ kind: "write", subject: use.path, content: one.newText }, call);
  }
}
