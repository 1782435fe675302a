import type { FoundBackend } from "../../ports/index.ts";
import { BY_DOCUMENTS } from "./by-documents.ts";
import type { Cli } from "./cli.ts";
import { type CliFinder, compareVersions } from "./find-cli.ts";

export async function lookAt(cli: Cli, finder: CliFinder): Promise<FoundBackend> {
  const found = await finder.find();
  if (found.kind === "missing") return { isThere: false, says: found.problem, fix: cli.help.install };
  const { version } = found;
  if (version === undefined || compareVersions(version, cli.tested) < 0) {
    const says = `${version ?? "of no known version"}; ${cli.tested} or newer is needed`;
    return { isThere: true, says, fix: cli.help.install };
  }
  const login = finder.key ?? finder.logins[0];
  const known = cli.known === "tried" ? `tried with ${cli.tested}` : BY_DOCUMENTS;
  if (login !== undefined) return { isThere: true, says: `${version} (${known}), by ${login}`, fix: null };
  return {
    isThere: true,
    says: `${version} (${known}), not logged in`,
    fix: `Set ${cli.keys.join(" or ")}, or ${cli.help.login}`,
  };
}
