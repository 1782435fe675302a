import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import { type CommandContext, defineCommand, repeated } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { parseInputs } from "../parse-inputs.ts";
import { plainlyShown, safeLine, safeText } from "../render/safe-text.ts";
import { table } from "../render/table.ts";
import { stoppable } from "../stoppable.ts";

const Args = z.object({
  action: z.enum(["list", "run", "new", "login", "logout"]),
  name: z.string().optional(),
  input: repeated,
  inputs: z.string().optional(),
  scope: z.enum(["project", "user"]).optional(),
  agent: z.string().optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
});
type Args = z.infer<typeof Args>;

export const command = defineCommand({
  usage: "tools <action> [name]",
  summary: "List the tools that you have written, run one, begin a new one, or log in at an MCP server",
  operations: ["tool.list", "tool.run", "tool.create", "login.begin", "login.finish", "login.forget"],
  options: {
    "--input <name=value...>": "an input of the tool",
    "--inputs <file>": "the inputs as a JSON file; single inputs outrank it",
    "--scope <scope>": "where a new one is written: project, or user for every project",
    "--agent <name>": "for login and logout: the agent whose file names the server",
    "--client-id <id>": "for login: as whom Cadre was registered there by hand",
    "--client-secret <variable>": "for login: the variable with the secret that belongs to it",
  },
  examples: [
    "cadre tools list",
    "cadre tools new greet",
    "cadre tools run greet --input name=World",
    "cadre tools login github",
  ],
  args: Args,
  run: (context, args) => ACTIONS[args.action](context, args),
});

const ACTIONS: Readonly<Record<Args["action"], (context: CommandContext, args: Args) => Promise<Exit>>> = {
  async list({ open, out }) {
    await using cadre = await open();
    const listing = await cadre.call("tool.list", {});
    out.data(listing, ({ tools }) => {
      if (tools.length === 0) return "No tools. Begin one: cadre tools new <name>";
      const rows = tools.map(({ name, trusted, unseen, effect, description, source }) => [
        name,
        !trusted ? "not trusted" : unseen === undefined ? "" : "not seen",
        effect,
        safeLine(description, 60),
        safeLine(source),
      ]);
      return table(["TOOL", "", "EFFECT", "WHAT IT IS FOR", "FROM"], rows);
    });
    for (const { message } of listing.problems) out.talk(out.colors.yellow(safeLine(message)));
    return EXIT.ok;
  },
  async run(context, { name, input, inputs: file }) {
    const { out } = context;
    const tool = need(name, "cadre tools run <name>");
    const inputs = await parseInputs(input, file);
    return stoppable(context, async (cadre) => {
      const ran = await cadre.call("tool.run", { tool, inputs });
      if (ran.ok) out.data(ran, ({ text }) => safeText(text.replace(/\n$/, "")));
      else {
        if (out.isJson) out.data(ran, () => "");
        out.talk(`${out.colors.red("error")}: ${safeText(ran.text)}`);
      }
      return ran.ok ? EXIT.ok : EXIT.taskFailed;
    });
  },
  async new({ open, out }, { name, scope }) {
    const wanted = need(name, "cadre tools new <name>");
    await using cadre = await open();
    const { file } = await cadre.call("tool.create", { name: wanted, scope });
    out.data({ file }, () => file);
    const { tools } = await cadre.call("tool.list", {});
    const isTrusted = tools.find((tool) => tool.source === file)?.trusted !== false;
    out.talk(`It works as it is. Edit it, then: cadre tools run ${wanted} --input name=World`);
    if (!isTrusted) out.talk("Nobody can run it before you have said that you trust this project: cadre trust");
    else if (scope !== "user") out.talk("Agents get it once you have agreed to it: cadre trust");
    return EXIT.ok;
  },
  async login(context, { name, agent, clientId, clientSecret }) {
    const { out } = context;
    const server = need(name, "cadre tools login <server>", "an MCP server");
    return stoppable(context, async (cadre) => {
      const { login, url } = await cadre.call("login.begin", { server, agent, clientId, clientSecret });
      out.talk(`Open this address in a browser, if you trust it, and log in there:\n${plainlyShown(url)}`);
      const { issuer, tools, problem } = await cadre.call("login.finish", { login });
      out.data({ server, issuer, tools }, () => `logged in at ${safeLine(issuer)}`);
      if (problem !== undefined) out.talk(`${out.colors.red("error")}: ${safeLine(problem)}`);
      return problem === undefined ? EXIT.ok : EXIT.taskFailed;
    });
  },
  async logout({ open, out }, { name, agent }) {
    const server = need(name, "cadre tools logout <server>", "an MCP server");
    await using cadre = await open();
    const { forgotten } = await cadre.call("login.forget", { server, agent });
    out.data({ server, forgotten }, () => (forgotten ? "the login is forgotten" : "there was no login"));
    return EXIT.ok;
  },
};

function need(given: string | undefined, hint: string, what = "a tool"): string {
  if (given !== undefined) return given;
  throw invalidInput(`this needs the name of ${what}`, { hint });
}
