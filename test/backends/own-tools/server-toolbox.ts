import { systemClock } from "../../../src/platform/system-clock.ts";
import type { Toolbox } from "../../../src/ports/index.ts";
import { fakeMint } from "../../../src/testing/index.ts";
import { knownTools } from "../../../src/tools/mcp/known-tools.ts";
import { loginFile } from "../../../src/tools/mcp/login/login-file.ts";
import { mcpTools } from "../../../src/tools/mcp/mcp-tools.ts";
import { PROJECT, temporary } from "../../tools/mcp/kit.ts";

/** What starts the MCP servers of a definition. */
export function toolboxOfServers(): Toolbox {
  const folder = temporary();
  return mcpTools({
    clock: systemClock,
    mint: fakeMint(),
    credentials: { value: async () => undefined },
    mcpServers: {},
    knownTools: knownTools(folder, systemClock),
    logins: loginFile(folder, systemClock),
    project: PROJECT,
    version: "1",
  });
}
