// A worker in its own process, to be killed.
import { openCadre } from "../../src/app/index.ts";
import { optionsFor } from "./kill-agents.ts";

const [project = "", userHome = ""] = process.argv.slice(2);
await using cadre = await openCadre(optionsFor(project, userHome));
await cadre.work({ dispatch: ["auto"] });
