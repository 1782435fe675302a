// A task and its child, followed event by event while they run.
import { openCadre } from "cadre";

const cadre = await openCadre({
  agents: [
    { name: "lead", description: "Delegates", tape: [{ delegate: "helper", prompt: "Help." }, { answer: "Led." }] },
    { name: "helper", description: "Helps", tape: [{ say: "I help." }, { answer: "Helped." }] },
  ],
});
try {
  const task = await cadre.start({ agent: "lead", prompt: "Get it done." });
  const finished = cadre.finish(task);
  for await (const { position, stream, event } of cadre.tail(task)) {
    console.log(position, stream.startsWith(`task:${task.id}`) ? "lead" : "other", event.type);
  }
  const ended = await finished;
  console.log(ended.status, `${ended.children.length} child`);
} finally {
  await cadre.close();
}
