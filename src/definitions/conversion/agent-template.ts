import { writeAgentYaml } from "../own-format/write-agent.ts";
import { AgentDefinition } from "../../schema/index.ts";

/** What somebody edits who wants an agent of their own. It loads as it is. */
export function agentTemplate(name: string, description: string): string {
  // Through the writer: a description may hold anything.
  const head = writeAgentYaml(AgentDefinition.parse({ name, description, tools: ["Read", "Glob", "Grep"] }));
  return `---
# When to use it. Other agents and programs choose by this sentence.
${head.trimEnd()}

# plan: it only reads. default: it asks before it writes or runs something. acceptEdits, auto: it asks less.
# permission_mode: default

# Without this it may write nothing but its own plan and workspace folder.
# workspace: { allow_writes: true }

# provider/model, an alias, or inherit.
# model: inherit

# max_turns: 20
# timeout_mins: 5
# budget_usd: 0.50

# What a caller gives it; \${target} in the text below is then filled in.
# inputs:
#   - { name: target, type: string, required: true, description: "What to look at" }
---

You are ${name}.

What you do: say it in a few sentences.
How you work: say what to look at first, and what to leave alone.
How you answer: say what the answer has to hold.
`;
}
