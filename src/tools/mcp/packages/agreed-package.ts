// A server that is a package: found where it is installed, shown to a person with the hash of all that it is made of,
// and started only for as long as it is just that.
import { launchedPackage } from "../../../domain/package-launchers.ts";
import type { AttemptScope } from "../../../ports/index.ts";
import type { McpServer } from "../../../schema/index.ts";
import type { KnownTools } from "../known-tools.ts";
import { ServerFault } from "../message-lines.ts";
import { installedPackage, type Whereabouts } from "./installed-package.ts";
import { packageHash } from "./package-hash.ts";

export interface PackageToAgree {
  readonly name: string;
  readonly server: McpServer;
  /** Of the server, and of the project that it is for. */
  readonly key: string;
  readonly where: Whereabouts;
  readonly known: KnownTools;
  readonly scope: Pick<AttemptScope, "ask">;
}

export interface AgreedServer {
  /** With the program of the package in place of its launcher. */
  readonly server: McpServer;
  readonly reads: readonly string[];
}

/** Rejects with a `ServerFault` where it is not to be started. A server that is no package is as it is. */
export async function agreedPackage({ name, server, key, where, known, scope }: PackageToAgree): Promise<AgreedServer> {
  const launched = "command" in server ? launchedPackage(server.command, server.args) : { kind: "none" as const };
  if (!("command" in server) || launched.kind === "none") return { server, reads: [] };
  if (launched.kind === "problem") throw new ServerFault(`${launched.launcher} is not run: ${launched.problem}`);
  const found = await installedPackage(launched, where);
  const whole = `${launched.name} ${launched.version}`;
  if (found === null) {
    const how =
      launched.of === "npm"
        ? `npm install ${launched.name}@${launched.version} --ignore-scripts`
        : `uv tool install ${launched.name}==${launched.version}`;
    throw new ServerFault(
      `${launched.launcher} is not run, and the package ${whole} is not installed. A person installs it: ${how}`,
    );
  }
  const sha256 = await packageHash(found.parts);
  const before = await known.packageOf(key);
  if (before !== sha256) {
    const { folder, file, args, integrity, parts } = found;
    const answer = await scope.ask({
      kind: "tool",
      title:
        before === null
          ? `The MCP server "${name}" is the package ${whole}, which nobody has agreed to yet`
          : `The MCP server "${name}" is not the package ${whole} that was agreed to: its files have changed`,
      body: JSON.stringify(
        {
          package: launched.name,
          version: launched.version,
          folder,
          command: [file, ...args],
          packages: parts.length,
          integrity,
          sha256,
        },
        null,
        2,
      ),
    });
    if (answer.verdict !== "allow")
      throw new ServerFault(`nobody has agreed to the package ${whole} as it is installed in ${folder}`);
    await known.agreePackage(key, sha256);
  }
  return { server: { ...server, command: found.file, args: [...found.args] }, reads: found.reads };
}
