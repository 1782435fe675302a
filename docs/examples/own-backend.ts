// A backend of one's own. It says what it can do, puts every effect to the policy, and returns one end.
import { type Backend, openCadre } from "cadre";

const shouter: Backend = {
  name: "shouter",
  capabilities: {
    resume: "none",
    approvals: true,
    steering: false,
    structuredOutput: false,
    toolFilter: true,
    usage: "per-call",
    largestPromptBytes: 64 * 1024,
    processes: false,
    lastWords: false,
  },
  async run({ task, workspace }, scope) {
    await scope.append({ type: "turn.started", turn: 1 });
    const use = { tool: "Write", effect: "write", path: "shout.txt", input: { path: "shout.txt" } } as const;
    const permission = await scope.permit(use);
    if (permission.kind === "refused") return { kind: "failed", reason: "refused", message: permission.decision.rule };
    await workspace.files.write("shout.txt", task.spec.prompt.toUpperCase());
    const { call } = permission;
    await scope.append({ type: "tool.returned", call, ok: true, output: "written", truncated: false });
    await scope.append({ type: "turn.ended", turn: 1 });
    return { kind: "answered", answer: "It is in shout.txt." };
  },
};

const agent = {
  name: "crier",
  description: "Shouts the prompt into a file",
  backend: "shouter",
  permission_mode: "acceptEdits",
  workspace: { allow_writes: true },
} as const;

const cadre = await openCadre({ agents: [agent], backends: [shouter] });
const { outcome } = await cadre.run({ agent: "crier", prompt: "read the log" });
console.log(outcome?.answer);
await cadre.close();
