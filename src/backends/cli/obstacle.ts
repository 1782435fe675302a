// What keeps a CLI from a task, and what of it would be kept otherwise than asked.
import { givenIn } from "../../domain/given-tools.ts";
import { hasServers } from "../../domain/mcp-servers.ts";
import { DELEGATION_TOOLS } from "../../domain/tool-names.ts";
import { isNamedIn } from "../../domain/tool-rules.ts";
import type { Obstacle } from "../../ports/index.ts";
import type { AgentDefinition, ModelUsage, TaskSpec } from "../../schema/index.ts";
import { notBelieved } from "./by-documents.ts";
import type { Cli } from "./cli.ts";
import type { CliOptions } from "./cli-options.ts";
import { type CliFinder, compareVersions } from "./find-cli.ts";
import { chooseModel, type ChosenModel, pricedName } from "./model-name.ts";

const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

export async function obstacleTo(
  cli: Cli,
  options: CliOptions,
  finder: CliFinder,
  spec: TaskSpec,
  isMoneyLimited: boolean,
): Promise<Obstacle | null> {
  const { definition } = spec;
  const found = await finder.find();
  if (found.kind === "missing") {
    return { message: `${cli.name} is not installed: ${found.problem}`, hint: cli.help.install };
  }
  if (found.version === undefined || compareVersions(found.version, cli.tested) < 0) {
    const is = found.version === undefined ? "does not say its version" : `is ${found.version}`;
    return { message: `${cli.name} ${is}, and Cadre needs ${cli.tested} or newer`, hint: cli.help.install };
  }
  if (finder.key === undefined && finder.logins.length === 0) {
    return {
      message: `${cli.name} is not logged in, and no key is set`,
      hint: `Set ${cli.keys.join(" or ")}, or ${cli.help.login}`,
    };
  }
  const model = chooseModel(spec, cli.models, options.resolveModel);
  if (model.kind === "foreign") {
    return {
      message: `${cli.name} has no model "${model.name}"`,
      hint: `Name one of ${cli.models.provider}'s, or leave the model out.`,
    };
  }
  if (options.ownTools === undefined && (definition.completion.exits !== undefined || hasServers(definition))) {
    return {
      message: `${cli.name} is given neither exits nor MCP servers here`,
      hint: "Leave completion.exits and mcp_servers out, or use the native backend.",
    };
  }
  if (cli.capabilities.mcpServers !== true && (definition.completion.exits !== undefined || delegates(definition))) {
    return {
      message: `${cli.name} takes no tools of Cadre's own, by which exits and delegation of "${definition.name}" would reach it`,
      hint: "Leave completion.exits and the tools for delegation out, or use another backend.",
    };
  }
  const unbelieved = notBelieved(cli, spec.policy, options.isConfined === true);
  if (unbelieved !== null) return unbelieved;
  if (isMoneyLimited && !(await isPriced(cli, options, model))) {
    return {
      message: `${cli.name} does not say what it costs, and the price of its model is not known`,
      hint: "Name a model whose price is known, limit tokens (max_tokens) instead, or leave the budget out.",
    };
  }
  return cli.refuses(spec);
}

function delegates({ tools }: AgentDefinition): boolean {
  const named = givenIn(tools);
  return [...DELEGATION_TOOLS].some((tool) => isNamedIn(named, tool));
}

async function isPriced(cli: Cli, { priceOf }: CliOptions, model: ChosenModel): Promise<boolean> {
  if (cli.name === "claude") return true; // it says itself
  if (model.kind !== "named" || priceOf === undefined) return false;
  return (await priceOf(pricedName(cli.models, model.name), NO_USAGE)) !== null;
}

/** Restrictions that are kept more tightly than was asked, or by other means, in words. */
export const narrowedBy = (cli: Cli, { resolveModel }: CliOptions, spec: TaskSpec): readonly string[] => [
  ...cli.narrows(spec),
  ...otherModel(cli, chooseModel(spec, cli.models, resolveModel)),
  ...notPassedOn(cli, spec),
];

const otherModel = (cli: Cli, chosen: ChosenModel): string[] =>
  chosen.kind === "own" && chosen.instead !== undefined
    ? [`the model is ${cli.name}'s own choice: it has no "${chosen.instead}"`]
    : [];

const GIVEN_ANYWAY = ["PATH", "HOME", "LANG"];

function notPassedOn(cli: Cli, { definition, policy }: TaskSpec): string[] {
  const variables = policy.env.allow.filter((name) => !GIVEN_ANYWAY.includes(name));
  const sampling = [
    ...(definition.temperature === undefined ? [] : ["temperature"]),
    ...(definition.top_p === undefined ? [] : ["top_p"]),
  ];
  return [
    ...(variables.length === 0 ? [] : [`${cli.name} is not given these variables: ${variables.join(", ")}`]),
    ...(sampling.length === 0 ? [] : [`${cli.name} takes no ${sampling.join(" and no ")}`]),
  ];
}
