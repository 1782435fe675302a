// Agents that write: programs, each in a worktree.
import type * as z from "zod";
import type { AgentDefinition } from "../../src/schema/index.ts";

/** Its number is its prompt. It changes its line of a common file, makes one of its own, and two of them clash. */
const SCRIPT = `
read -r n
sed -i "s/^line $n of many$/line $n of many, changed by $n/" shared.txt
mkdir -p "out $n"
echo "made by $n" > "out $n/result.txt"
case $n in 3 | 5) echo "$n was here" > clash.txt ;; esac
echo done
`;

const SLOW = `
read -r n
echo "half of it" > half.txt
echo started
sleep 600
`;

const writer = (name: string, script: string): z.input<typeof AgentDefinition> => ({
  name,
  description: `${name} for tests`,
  capabilities: ["primary", "subtask"],
  command: ["sh", "-c", script],
  permission_mode: "auto",
  workspace: { mode: "worktree" },
});

export const WRITERS = [writer("writer", SCRIPT), writer("slow", SLOW)];
