// An agent from code, run once. Prints its answer.
import { openCadre } from "cadre";

const greeter = {
  name: "greeter",
  description: "Greets whoever asks",
  tape: [{ say: "One moment." }, { answer: "Hello." }],
};

const cadre = await openCadre({ agents: [greeter] });
const task = await cadre.run({ agent: "greeter", prompt: "Greet the reader." });
console.log(task.status, task.outcome?.answer);
await cadre.close();
