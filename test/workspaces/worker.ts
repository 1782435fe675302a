// One worker of several, in its own process: works until nothing is left.
import { openCadre } from "../../src/app/index.ts";
import { WRITERS } from "./writers.ts";

const [home = "", userHome = ""] = process.argv.slice(2);
await using cadre = await openCadre({
  home,
  userHome,
  cwd: userHome,
  env: { PATH: process.env["PATH"] },
  agents: WRITERS,
  settings: { rateLimitPerMin: 1_000_000, maxConcurrent: 20 },
});
await cadre.work({ dispatch: ["auto"] });
