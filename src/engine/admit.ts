// From a wish to a task in the log: find the agent, check what was given, narrow the policy, fix the limits.
import { agentKey } from "../domain/agent-names.ts";
import { underCeiling } from "../domain/ceilings.ts";
import { checkInputs } from "../domain/inputs.ts";
import { type LimitWishes, limitsOf } from "../domain/limits.ts";
import { hasServers } from "../domain/mcp-servers.ts";
import { missingAgent } from "../domain/missing-agent.ts";
import { backendsFor } from "../domain/select-backend.ts";
import { intersectPolicies, opensMore, policyOf, spawnGrants } from "../domain/policy.ts";
import { isOwnTree } from "../domain/scopes.ts";
import { fillTemplate } from "../domain/templates.ts";
import {
  admissionRefused,
  agentUntrusted,
  backendNotFound,
  CadreError,
  invalidInput,
  sessionBusy,
  sessionNotFound,
} from "../errors/index.ts";
import type { Admission, AdmissionRefusal, AdmitAnswer, Backend, RegisteredAgent } from "../ports/index.ts";
import type {
  AgentDefinition,
  Askable,
  BackendName,
  CallId,
  Capability,
  Ceiling,
  Dispatch,
  JsonObject,
  Need,
  Origin,
  Policy,
  SessionId,
  TaskId,
  TaskSpec,
  TaskView,
} from "../schema/index.ts";
import { placeFor, refuseCollision, withWorkspace, type WorkspaceWish, writesFor } from "./admit-workspace.ts";
import { coolingAmong } from "./cooling.ts";
import type { EngineParts } from "./parts.ts";
import { sessionFor } from "./session-for.ts";

/** What somebody wants done. */
export interface TaskRequest {
  /** Only for a task that has a name already: one that was dropped as a file. */
  readonly id?: TaskId | undefined;
  /** Without one, the task is for whoever can take it: `settings.defaultBackend`, or by what its words sound like. */
  readonly agent?: string | undefined;
  readonly prompt: string;
  readonly inputs?: JsonObject | undefined;
  /** Goes on with this session; without it, a new one is opened. */
  readonly session?: SessionId | undefined;
  /** Not in that session, but in a new one that begins with what was said there. */
  readonly fork?: boolean | undefined;
  readonly backend?: BackendName | undefined;
  readonly background?: boolean | undefined;
  /** Instead of the agent's own. */
  readonly model?: string | undefined;
  /** The tool call that asks for it. */
  readonly call?: CallId | undefined;
  readonly dispatch?: Dispatch | undefined;
  readonly priority?: number | undefined;
  readonly notBefore?: number | undefined;
  readonly limits?: LimitWishes | undefined;
  /** Instead of the agent's own. */
  readonly workspace?: WorkspaceWish | undefined;
  /** Whoever asks waits for its end, and needs to know of nothing before. */
  readonly isAwaited?: boolean | undefined;
  readonly askable: Askable;
  readonly origin: Origin;
  /** What whoever asks is itself held to. */
  readonly ceiling?: Ceiling | undefined;
}

/** All of the requests, or none: each that cannot be admitted is named with its reason. */
export async function admit(
  parts: EngineParts,
  requests: readonly TaskRequest[],
  parent: TaskView | null,
  /** Where an attempt asks for itself, it does that its own way. */
  store: (admissions: readonly Admission[]) => Promise<AdmitAnswer> = (admissions) => parts.store.admit(admissions),
): Promise<readonly TaskView[]> {
  const plans = await Promise.allSettled(requests.map((request) => plan(parts, request, parent)));
  const admissions = plans.flatMap((planned) => (planned.status === "fulfilled" ? [planned.value] : []));
  if (admissions.length < requests.length) throw refusalOfAll(plans);
  const answer = await store(admissions);
  if (answer.kind === "admitted") return answer.tasks;
  throw refusalError(answer.refusal);
}

/** The reason where one was asked for; of a list, one error of the first one's kind that names them all. */
function refusalOfAll(plans: readonly PromiseSettledResult<Admission>[]): unknown {
  const refused = plans.flatMap((planned, index) =>
    planned.status === "rejected" ? [{ index, error: planned.reason as unknown }] : [],
  );
  const [first] = refused;
  const bug = refused.find(({ error }) => !CadreError.isInstance(error));
  if (bug !== undefined || plans.length === 1 || first === undefined || !CadreError.isInstance(first.error))
    return (bug ?? first)?.error;
  const each = refused
    .map(({ index, error }) => `[${index}] ${error instanceof Error ? error.message : ""}`)
    .join("; ");
  const { code, hint } = first.error;
  return new CadreError(code, `${refused.length} of ${plans.length} tasks cannot be started, so none was: ${each}`, {
    hint,
  });
}

async function plan(parts: EngineParts, request: TaskRequest, parent: TaskView | null): Promise<Admission> {
  const { mint, settings } = parts;
  const definition = await definitionFor(parts, request);
  checkRole(definition, parent);
  const prompt = checkPrompt(request.prompt);
  const inputs = checkInputs(definition.inputs, request.inputs ?? {}, prompt);
  if (!inputs.ok) {
    throw invalidInput(`inputs of "${definition.name}": ${inputs.problems.join("; ")}`, {
      hint: "Give each as --input name=value.",
    });
  }
  const depth = parent === null ? 0 : parent.spec.depth + 1;
  if (depth > settings.maxDepth) {
    throw admissionRefused("depth", `agents may nest ${settings.maxDepth} deep, and this would be ${depth}`);
  }
  const working = withWorkspace(definition, request.workspace);
  const placed = await placeFor(parts, working, parent);
  const { session, ...conversation } = await sessionFor(parts, request, parent);
  const id = request.id ?? mint.id("task");
  const rights = request.workspace?.mayWiden === true ? working : definition;
  const own = parts.ownFiles(id).scopes;
  const policy = underCeiling(policyFor(parts, own, rights, parent), request.ceiling);
  const spec: TaskSpec = {
    definition,
    prompt,
    inputs: inputs.inputs,
    instructions: fillTemplate(definition.prompt, definition.inputs, inputs.inputs),
    session,
    parent: parent?.id ?? null,
    call: request.call ?? null,
    root: parent?.spec.root ?? id,
    depth,
    background: request.background ?? false,
    dispatch: request.dispatch ?? "auto",
    priority: request.priority ?? 0,
    notBefore: request.notBefore ?? null,
    backends: [],
    needs: [],
    policy,
    ...placed,
    writes: writesFor(policy, own, placed, session),
    model: modelFor(parts, definition, request, parent),
    limits: limitsOf(definition, request.limits ?? {}, settings),
    askable: request.askable,
    origin: request.origin,
  };
  await refuseCollision(parts, { id, spec }, parent);
  const isMoneyLimited = await hasMoneyLimit(parts, spec, parent);
  const backends = await chooseBackends(parts, spec, request, isMoneyLimited);
  return {
    id,
    ...conversation,
    // Set aside if any of them cannot say what one call costs: it may come to run there. Below others nothing is, before it
    // runs: they would wait for what nobody runs.
    reserve:
      parent !== null || backends.every(({ capabilities }) => capabilities.usage === "per-call") ? "none" : "whole",
    reservation: mint.id("rsrv"),
    maxPerRoot: settings.maxPerRoot,
    // A tree of its own would be left behind by a power cut, with nobody who knows whose it was.
    isAwaited: request.isAwaited === true && !isOwnTree(placed.workspace),
    spec: { ...spec, backends: backends.map(({ name }) => name), needs: await needsOf(parts, backends[0], spec) },
  };
}

async function needsOf({ credentials }: EngineParts, backend: Backend | undefined, spec: TaskSpec): Promise<Need[]> {
  const names = (await backend?.secrets?.neededBy(spec)) ?? [];
  return names.length === 0 ? [] : [...(await credentials.available(names))];
}

/** What both the parent and the definition allow, and the task's own files. */
function policyFor(
  { ownFiles, baseline, settings }: EngineParts,
  own: readonly string[],
  definition: AgentDefinition,
  parent: TaskView | null,
): Policy {
  const above = parent === null ? baseline : withoutScopes(parent.spec.policy, ownFiles(parent.id).scopes);
  const { inherits } = settings;
  const both = intersectPolicies(above, policyOf(definition, inherits ? above : baseline, inherits));
  const isOpen = (scope: string): boolean => parent === null || !opensMore(scope, above.fs.write);
  const narrowed = { ...both, fs: { ...both.fs, write: both.fs.write.filter(isOpen) } };
  const fs = { read: [...narrowed.fs.read, ...own], write: [...narrowed.fs.write, ...own] };
  // Nobody is asked about a task's own plan and the folder that is there for it.
  const grants = own.flatMap((scope) =>
    ["Write", "Edit"].flatMap((tool) => [`${tool}(${scope})`, `${tool}(${scope}/**)`]),
  );
  return { ...narrowed, fs, grants: [...narrowed.grants, ...grants, ...spawnGrants(definition)] };
}

/** A parent's own files are not its children's. */
function withoutScopes(policy: Policy, scopes: readonly string[]): Policy {
  const others = (list: readonly string[]) => list.filter((scope) => !scopes.includes(scope));
  return { ...policy, fs: { read: others(policy.fs.read), write: others(policy.fs.write) } };
}

function modelFor(
  { settings }: EngineParts,
  definition: AgentDefinition,
  request: TaskRequest,
  parent: TaskView | null,
): string | null {
  const wanted = request.model ?? definition.model;
  return wanted === "inherit" ? (parent?.spec.model ?? settings.defaultModel) : wanted;
}

async function hasMoneyLimit({ store }: EngineParts, spec: TaskSpec, parent: TaskView | null): Promise<boolean> {
  if (spec.limits.budget.microUsd !== null) return true;
  for (let above = parent; above !== null;) {
    if (above.spec.limits.budget.microUsd !== null) return true;
    above = above.spec.parent === null ? null : ((await store.task(above.spec.parent)) ?? null);
  }
  return false;
}

const ANYBODY = "general-purpose";

async function definitionFor(parts: EngineParts, { agent, prompt }: TaskRequest): Promise<AgentDefinition> {
  const { definition } = await findAgent(parts, agent ?? ANYBODY);
  if (agent !== undefined) return definition;
  const wished = parts.settings.defaultBackend;
  const [first, ...others] = backendsFor(prompt, wished, parts.backends.keys());
  if (first === undefined && wished !== null)
    throw backendNotFound(wished, backendsFor("", null, parts.backends.keys()));
  return first === undefined ? definition : { ...definition, backend: [first, ...others] };
}

async function findAgent({ registry }: EngineParts, name: string): Promise<RegisteredAgent> {
  const found = await registry.find(name);
  if (found?.trusted === true) return found;
  if (found !== undefined) throw agentUntrusted(name, found.source);
  const listing = await registry.list();
  const isIt = ({ definition, trusted }: RegisteredAgent) => !trusted && agentKey(definition.name) === agentKey(name);
  const untrusted = listing.agents.find(isIt);
  if (untrusted !== undefined) throw agentUntrusted(name, untrusted.source);
  throw missingAgent(name, listing);
}

const ROLES_FOR_A_PERSON: readonly Capability[] = ["primary", "subtask", "orchestrator"];
const ROLES_FOR_AN_AGENT: readonly Capability[] = ["subtask"];

function checkRole({ name, capabilities }: AgentDefinition, parent: TaskView | null): void {
  const roles = parent === null ? ROLES_FOR_A_PERSON : ROLES_FOR_AN_AGENT;
  if (capabilities.some((capability) => roles.includes(capability))) return;
  throw admissionRefused("role", `"${name}" is ${capabilities.join(" and ")} only: it cannot be started as a task`);
}

function checkPrompt(prompt: string): string {
  if (prompt.trim() === "")
    throw invalidInput("the prompt is empty", { hint: 'Say what to do: cadre run <agent> "…"' });
  if (prompt.includes("\0"))
    throw invalidInput("the prompt holds a NUL character", { hint: "Remove it: no program takes one." });
  return prompt;
}

/** Those that are here and can keep every restriction. Where none can, the first says what it could not. */
async function chooseBackends(
  parts: EngineParts,
  spec: TaskSpec,
  { backend: wanted, ceiling }: TaskRequest,
  isMoneyLimited: boolean,
): Promise<Backend[]> {
  const { definition } = spec;
  const { backends } = parts;
  const listed = definition.backend === undefined ? [impliedBackend(definition)] : [definition.backend].flat();
  const names = wanted === undefined ? listed : [wanted];
  const known = names.map((name) => backends.get(name)).filter((backend) => backend !== undefined);
  const obstacles = await Promise.all(known.map((backend) => obstacle(backend, spec, isMoneyLimited, ceiling)));
  const able = known.filter((_backend, index) => obstacles[index] === null);
  // Whoever is named is tried. Of others, those that are left alone just now come last.
  const cooling = able.length > 1 ? await coolingAmong(parts, names, spec) : NONE;
  const isCooling = ({ name }: Backend) => cooling.has(name);
  if (able.length > 0) return [...able.filter((one) => !isCooling(one)), ...able.filter(isCooling)];
  throw obstacles[0] ?? backendNotFound(names[0] ?? "(none named)", [...backends.keys()]);
}

const NONE: ReadonlySet<BackendName> = new Set();

const impliedBackend = ({ tape, command }: AgentDefinition): BackendName =>
  tape !== undefined ? "tape" : command !== undefined ? "command" : "native";

/** A restriction that the backend could not keep refuses the task: it is never dropped. */
async function obstacle(
  backend: Backend,
  spec: TaskSpec,
  isMoneyLimited: boolean,
  ceiling: Ceiling | undefined,
): Promise<CadreError | null> {
  const { name, capabilities } = backend;
  const { definition, prompt } = spec;
  if (ceiling !== undefined && !capabilities.toolFilter) {
    return admissionRefused("ceiling", `the backend "${name}" cannot be held to what the host is held to: ${ceiling}`);
  }
  if (definition.tools !== undefined && !capabilities.toolFilter) {
    return admissionRefused("tools", `the backend "${name}" cannot be held to the tools of "${definition.name}"`);
  }
  if (hasServers(definition) && capabilities.mcpServers !== true) {
    return admissionRefused(
      "mcp-servers",
      `the backend "${name}" does not take the MCP servers of "${definition.name}"`,
      "Run it on Cadre's own loop: --backend native",
    );
  }
  const bytes = new TextEncoder().encode(prompt).length;
  if (bytes > capabilities.largestPromptBytes) {
    return invalidInput(
      `the prompt has ${bytes} bytes; the backend "${name}" takes ${capabilities.largestPromptBytes}`,
      { hint: "Put the text into a file, and name the file in the prompt." },
    );
  }
  const found = (await backend.obstacle?.(spec, isMoneyLimited)) ?? null;
  return found === null ? null : admissionRefused("backend", found.message, found.hint);
}

function refusalError(refusal: AdmissionRefusal): CadreError {
  switch (refusal.why) {
    case "duplicate":
      return invalidInput(`there is a task ${refusal.task} already`);
    case "no-session":
      return sessionNotFound(refusal.session);
    case "session-busy":
      return sessionBusy(refusal.session, refusal.task);
    case "fan-out":
      return admissionRefused("fan-out", `this tree has its ${refusal.limit} tasks already`);
    case "budget":
      return admissionRefused(
        "budget",
        `the budget allows ${refusal.left} more ${refusal.unit}`,
        "Start it with a larger budget.",
      );
    case "parent-ended":
      return admissionRefused("parent-ended", `its parent ${refusal.parent} is ${refusal.status}`);
  }
}
