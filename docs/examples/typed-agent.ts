// An agent whose output has a type. Prints the first of its findings.
import { defineAgent, openCadre, parseOutput } from "cadre";
import * as z from "zod";

const scanner = defineAgent({
  name: "scanner",
  description: "Lists what it finds",
  output: { schema: z.object({ findings: z.array(z.string()) }) },
  tape: [{ answer: "One finding.", output: { findings: ["The README has no example."] } }],
});

const cadre = await openCadre({ agents: [scanner] });
const { outcome } = await cadre.run({ agent: "scanner", prompt: "Scan it." });
if (outcome?.status === "completed") {
  const { findings } = parseOutput(scanner, outcome.output);
  console.log(findings.length, findings[0]);
}
await cadre.close();
