// A CLI's table as a backend.
import type { Backend } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import type { Cli } from "./cli.ts";
import type { CliOptions } from "./cli-options.ts";
import { CliFinder } from "./find-cli.ts";
import { lookAt } from "./look-at.ts";
import { narrowedBy, obstacleTo } from "./obstacle.ts";

/** With what it keeps more tightly than asked, for `attempt.prepared`. */
export interface CliBackend extends Backend {
  narrowed(spec: TaskSpec): readonly string[];
}

export function cliBackend(cli: Cli, options: CliOptions): CliBackend {
  const finder = new CliFinder(cli, options);
  return {
    name: cli.name,
    capabilities: cli.capabilities,
    secrets: {
      names: async () => cli.keys,
      neededBy: async () => (finder.key === undefined ? [] : [finder.key]),
    },
    look: () => lookAt(cli, finder),
    obstacle: (spec, isMoneyLimited) => obstacleTo(cli, options, finder, spec, isMoneyLimited),
    narrowed: (spec) => narrowedBy(cli, options, spec),
    async run(attempt, scope) {
      const { CliAttempt } = await import("./cli-attempt.ts");
      return new CliAttempt(cli, options, finder, attempt, scope).run();
    },
  };
}
