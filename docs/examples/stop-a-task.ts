// A signal stops a task. The promise still resolves, with the task as it ended.
import { openCadre } from "cadre";

const cadre = await openCadre({
  agents: [{ name: "slow", description: "Takes its time", tape: [{ pause_ms: 60_000 }, { answer: "At last." }] }],
});
const task = await cadre.run({ agent: "slow", prompt: "Wait." }, AbortSignal.timeout(200));
if (task.outcome?.status === "cancelled") console.log(task.outcome.by !== "", task.outcome.how);
await cadre.close();
