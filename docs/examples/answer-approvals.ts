// A person's answers, given by code: the write is asked for, and allowed once.
import { openCadre } from "cadre";

const cadre = await openCadre({
  agents: [
    {
      name: "writer",
      description: "Writes one file",
      workspace: { allow_writes: true },
      tape: [{ say: "I would write." }, { write: "note.txt", content: "allowed" }, { answer: "Written." }],
    },
  ],
});
try {
  const task = await cadre.start({ agent: "writer", prompt: "Leave a note." });
  const finished = cadre.finish(task);
  for await (const { event } of cadre.tail(task)) {
    if (event.type !== "approval.asked") continue;
    const { id, title, body } = event.approval;
    console.log(title, JSON.parse(body));
    await cadre.call("approval.answer", { approval: id, answer: { verdict: "allow", scope: "once" } });
  }
  console.log((await finished).status);
} finally {
  await cadre.close();
}
