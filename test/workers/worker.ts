// One worker of several, in its own process: works until nothing is left.
import { openCadre } from "../../src/app/index.ts";

const [home = "", userHome = "", maxConcurrent = "4"] = process.argv.slice(2);
await using cadre = await openCadre({
  home,
  userHome,
  cwd: userHome,
  env: { PATH: process.env["PATH"] },
  agents: [{ name: "quick", description: "answers at once", tape: [{ say: "here" }, { answer: "done" }] }],
  settings: { maxConcurrent: Number(maxConcurrent), rateLimitPerMin: 1_000_000 },
});
await cadre.work({ dispatch: ["auto"] });
