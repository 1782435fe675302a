// Twenty variables that are nobody's business but the user's, and every way in which a task starts a program.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cadre as run, type Ran } from "../cli/command-line.ts";
import { machines } from "../confinement/kit.ts";
import { program } from "../tools/mcp/kit.ts";
import { filesIn, openAt, type Scene, scene } from "./kit.ts";

const LIMIT = { timeout: 180_000 };

const NAMES = [
  "AWS_SECRET_ACCESS_KEY",
  "AZURE_CLIENT_SECRET",
  "BASH_ENV",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "DATABASE_URL",
  "ENV",
  "GEMINI_API_KEY",
  "GITHUB_TOKEN",
  "GIT_CONFIG_GLOBAL",
  "GIT_SSH_COMMAND",
  "KUBECONFIG",
  "LD_LIBRARY_PATH",
  "NODE_OPTIONS",
  "NPM_TOKEN",
  "OPENAI_API_KEY",
  "PERL5LIB",
  "PYTHONPATH",
  "SLACK_WEBHOOK_URL",
  "SSH_AUTH_SOCK",
  "VAULT_TOKEN",
] as const;
const CANARIES = Object.fromEntries(
  NAMES.map((name, index) => [name, `${name === "NODE_OPTIONS" ? "--title=" : "/"}canary-${index}-of-the-user`]),
);
const KEY = "sk-ant-canary-of-the-user-0123456789";

const server = program("server", "2026");
const quoted = [server.command, ...server.args].map((word) => `'${word}'`).join(" ");
const OPEN = "permission_mode: auto\nworkspace: { allow_writes: true }\n";
const dump = (surface: string) => `env | tee dump-${surface}; cat /proc/self/environ >>dump-${surface}`;
const sh = (script: string) => JSON.stringify(["sh", "-c", script]);
const agent = (name: string, more: string) => `---\nname: ${name}\ndescription: d\n${OPEN}${more}\n---\n`;

const AGENTS = {
  ".cadre/agents/program.md": agent("program", `command: ${sh(`${dump("command")}; env >&2`)}`),
  ".cadre/agents/broken.md": agent("broken", `command: ${sh(`${dump("broken")}; env | tr '\\n' ' ' >&2; exit 7`)}`),
  ".cadre/agents/peer.md": agent("peer", `backend: acp\ncommand: ${sh(`${dump("acp")} >&2; exit 1`)}`),
  ".cadre/agents/cli.md": agent("cli", "backend: claude"),
  ".cadre/agents/loop.md": agent(
    "loop",
    `backend: native
mcp_servers: { dump: { command: sh, args: ["-c", ${JSON.stringify(`${dump("mcp")} >&2; exec ${quoted}`)}] } }
completion: { gates: [{ name: look, command: ${sh(dump("gate"))} }] }
tape:
  - { call: Bash, input: { command: ${JSON.stringify(dump("bash"))} } }
  - { call: dumper, input: {} }
  - { call: mcp__dump__echo, input: { text: hello } }
  - answer: done`,
  ),
  ".cadre/tools/dumper/tool.yml": `name: dumper\ndescription: d\ncommand: ${sh(dump("manifest"))}\n`,
};

/** A `claude` that tells everything it was given. */
function withClaude(where: Scene): string {
  const bin = join(where.outside, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "package.json"), '{ "name": "@anthropic-ai/claude-code", "version": "2.1.325" }');
  writeFileSync(join(bin, "claude"), `#!/bin/sh\n${dump("cli")}\nenv >&2\nexit 1\n`);
  chmodSync(join(bin, "claude"), 0o755);
  return bin;
}

test.each(["best", "off"])(
  "case 14, case 30: none of twenty variables reaches a program, a log, a file or an error (confinement: %s)",
  LIMIT,
  async (confinement) => {
    // Without a sandbox a CLI has the key that it works with. Nothing else has it, in any tier.
    const hidesKey = confinement === "best" && machines.length > 0;
    const where = scene(AGENTS);
    await (await openAt(where)).call("trust.grant", {});
    const path = `${withClaude(where)}:${where.env["PATH"]}`;
    const own = { ANTHROPIC_API_KEY: KEY, CADRE_SECURITY_CONFINEMENT: confinement };
    const place = { ...where, env: { ...where.env, ...CANARIES, ...own, PATH: path } };
    const said: Ran[] = [];
    for (const name of ["program", "broken", "peer", "cli", "loop"])
      said.push(await run(place, "run", name, "go", "--json"));
    for (const one of ["status", "sessions"]) said.push(await run(place, one, "--json"));
    for (const surface of ["command", "broken", "acp", "cli", "mcp", "gate", "bash", "manifest"]) {
      const file = join(where.project, `dump-${surface}`);
      expect(existsSync(file), surface).toBe(true);
      const text = readFileSync(file, "latin1");
      expect(text, surface).toContain("PATH=");
      expect(
        NAMES.filter((name) => new RegExp(`(?:^|[\\n\\0])${name}=`).test(text)),
        surface,
      ).toEqual([]);
      expect(text.replaceAll(surface === "cli" && !hidesKey ? KEY : "no key", ""), surface).not.toContain(
        "of-the-user",
      );
    }
    const everything = [...filesIn(join(where.project, ".cadre")).map(([, text]) => text), JSON.stringify(said)];
    expect(everything.join("\n")).toContain("CADRE_TASK=");
    for (const text of everything) expect(text).not.toContain("of-the-user");
    const open = filesIn(join(where.project, ".cadre")).map(([file]) => file);
    const state = open.filter((file) => !/\.cadre\/(?:agents|tools|config\.yml|\.gitignore)/.test(file));
    expect(state.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
  },
);
