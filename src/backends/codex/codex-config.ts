// Codex's own settings, written anew for every start: its sandbox is what holds it to the policy.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { stringify } from "smol-toml";
import type { OwnServer, Wish } from "../cli/cli.ts";
import { type Allowance, allowanceOf } from "../cli/allowance.ts";
import { homesBelow } from "./homes-below.ts";
import { SERVER } from "../own-tools/server-name.ts";
import { folded, PROTECTED_NAMES } from "../../domain/protected-paths.ts";
import { runLaterNames } from "../../domain/run-later.ts";
import { isState } from "../../domain/own-state.ts";
import { isOwnTree, isWithin } from "../../domain/scopes.ts";
import type { TaskSpec } from "../../schema/index.ts";

/** What goes out by itself, starts something, or gives the agent more than its tools. */
const OFF = [
  "apps",
  "auth_elicitation",
  "browser_use",
  "browser_use_external",
  "computer_use",
  "daemon_auto_start",
  "goals",
  "hooks",
  "image_generation",
  "in_app_browser",
  "in_app_updates",
  "memories",
  "multi_agent",
  "plugin_discovery_prefetch",
  "plugins",
  "remote_plugin",
  "shell_snapshot",
  "skill_mcp_dependency_install",
  "skill_search",
  "tool_suggest",
] as const;

const PROVIDER = "cadre-openai";
const A_MONTH_S = 30 * 24 * 60 * 60;

export function codexConfig(wish: Wish, key: string | undefined): string {
  const { attempt, instructions, home, variables, own } = wish;
  const { spec } = attempt.task;
  const { effort } = spec.definition;
  const allowance = allowanceOf(spec.policy);
  const baseUrl = variables["OPENAI_BASE_URL"];
  // The built-in provider does not look at the variable; one that we name does what it is told, and tries less often.
  const provider =
    key === undefined
      ? {}
      : {
          model_provider: PROVIDER,
          model_providers: {
            [PROVIDER]: {
              name: "OpenAI",
              base_url: baseUrl ?? "https://api.openai.com/v1",
              wire_api: "responses",
              env_key: key,
              request_max_retries: 2,
              stream_max_retries: 2,
            },
          },
        };
  return stringify({
    approval_policy: "never",
    developer_instructions: instructions,
    project_doc_max_bytes: 0,
    check_for_update_on_startup: false,
    web_search: allowance.tools.has("WebSearch") ? "live" : "disabled",
    ...(effort === undefined ? {} : { model_reasoning_effort: effort === "max" ? "xhigh" : effort }),
    ...provider,
    ...sandbox(wish, allowance),
    analytics: { enabled: false },
    feedback: { enabled: false },
    history: { persistence: "none" },
    features: Object.fromEntries(OFF.map((name) => [name, false])),
    // Commands get no keys, and nothing that looks like one.
    shell_environment_policy: {
      inherit: "all",
      exclude: ["*KEY*", "*SECRET*", "*TOKEN*"],
      set: { HOME: join(home, "tmp") },
    },
    ...(own === undefined ? {} : { mcp_servers: { [SERVER]: ownServer(own) } }),
    // A project that is trusted may bring settings, servers and hooks of its own.
    projects: { [attempt.workspace.root]: { trust_level: "untrusted" } },
  });
}

/** A call may wait for a person. Nothing is asked here: each call is put to the policy where it is done. */
const ownServer = ({ url }: OwnServer): object => ({
  url,
  bearer_token_env_var: "CADRE_TOKEN",
  tool_timeout_sec: A_MONTH_S,
  default_tools_approval_mode: "approve",
  required: true,
});

/** Where our own confinement holds every program already, one inside of it is in the way. */
function sandbox(wish: Wish, allowance: Allowance): object {
  const { attempt, home, program, project } = wish;
  if (attempt.confinement.label.commands !== "policy") return { sandbox_mode: "danger-full-access" };
  const absolute = (scope: string) => resolve(project, scope);
  // A single file as a place to write breaks the whole sandbox: it wants to close things inside of it.
  const written = allowance.write.map(absolute).filter(isFolder);
  const entries: [string, "read" | "write" | "deny"][] = [
    [":minimal", "read"],
    [":tmpdir", "write"],
    // Its own helpers, without which no command starts at all.
    [packageOf(program), "read"],
    [join(home, ".codex", "tmp"), "read"],
    ...allowance.read.map((scope): [string, "read"] => [absolute(scope), "read"]),
    ...written.map((path): [string, "write"] => [path, "write"]),
    ...stateIn(wish).map((path): [string, "deny"] => [path, "deny"]),
    // Kept from being written even where the folder around them is open.
    ...written.flatMap((path) => closedIn(path, attempt.task.spec).map((one): [string, "read"] => [one, "read"])),
  ];
  return {
    default_permissions: "cadre",
    permissions: {
      cadre: {
        filesystem: Object.fromEntries(entries),
        network: { enabled: allowance.tools.has("Bash") && allowance.isNetworkOpen },
      },
    },
  };
}

/**
 * What Cadre keeps and is there: the scopes may open the folder around it. A folder that holds something of the attempt's
 * stays open, as nothing can be opened in a closed one. What may be gone before a command starts would keep all commands
 * from starting.
 */
function stateIn({ attempt: { homes, isHome, workspace, own }, home: ofSession, project }: Wish): string[] {
  const kept = [workspace.root, own.plan, own.folder, ofSession];
  const known = new Set([".cadre", ...homes].map((home) => resolve(project, home)));
  const inKnown = [...known].flatMap((home) =>
    (namesIn(home) ?? []).filter((name) => isState(folded(name)) && !isPassing(name)).map((name) => join(home, name)),
  );
  // Of others nobody here knows what comes and goes: they are closed as a whole.
  const others = homesBelow(project, isHome).filter((home) => !known.has(home));
  return [...inKnown, ...others].filter((path) => !kept.some((inside) => isWithin(inside, path)));
}

/** On its way to its name, or a lock. */
const isPassing = (name: string): boolean => /^\.|\.tmp$|\.lock(?:\.|$)/.test(name);

/**
 * Those that are there, as they are spelled there. To close what is not, it would put empty files in their place while
 * a command runs. What we may not list, it may not either, as it runs for the same user: then by their own names, as far
 * as these can be reached.
 */
export function closedIn(scope: string, { workspace, policy }: Pick<TaskSpec, "workspace" | "policy">): string[] {
  const entries = namesIn(scope);
  const spelled = (name: string): string[] => entries?.filter((entry) => folded(entry) === name) ?? [name];
  return [...PROTECTED_NAMES, ...(isOwnTree(workspace) ? [] : runLaterNames(policy.fs.write))]
    .map((name) => name.split("/"))
    .flatMap(([first = "", ...rest]) => spelled(first).map((entry) => join(scope, entry, ...rest)))
    .filter((path) => existsSync(path));
}

function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The folder that all of its packages lie in: `…/node_modules`, or where the program is. */
function packageOf(program: string): string {
  const at = program.lastIndexOf("/node_modules/");
  return at === -1 ? dirname(realpathSync(program)) : program.slice(0, at + "/node_modules".length);
}
