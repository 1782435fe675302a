// Where a task runs that names no agent: by what its words sound like, then by what is there.
import type { BackendName } from "../schema/index.ts";

/** In this order, the first with a word in the prompt is preferred. */
const HEURISTICS: readonly (readonly [BackendName, readonly string[]])[] = [
  [
    "gemini",
    [
      "search web",
      "search the web",
      "google",
      "find online",
      "latest",
      "news",
      "research",
      "look up",
      "what is",
      "documentation",
    ],
  ],
  ["codex", ["analyze code", "review", "find bugs", "refactor", "security", "performance", "fix", "debug"]],
  ["claude", ["summarize", "explain", "write", "draft", "quick", "simple", "help me understand"]],
];

/** Our own loop needs no program; then those that people have, in the order in which they are looked for. */
const OTHERWISE: readonly BackendName[] = ["native", "claude", "codex", "gemini"];

/** All that may take it, the preferred first. Which of them can, admission finds out. */
export function backendsFor(prompt: string, wished: BackendName | null, known: Iterable<BackendName>): BackendName[] {
  const words = prompt.toLowerCase();
  const fitting = HEURISTICS.filter(([, signs]) => signs.some((sign) => words.includes(sign))).map(([name]) => name);
  const all = new Set(known);
  const ordered = wished === null ? [...fitting, ...OTHERWISE, ...all] : [wished];
  return [...new Set(ordered)].filter((name) => all.has(name) && !WITHOUT_AGENT.has(name));
}

/** These play or run what a definition holds: without one there is nothing to do for them. */
const WITHOUT_AGENT: ReadonlySet<BackendName> = new Set(["tape", "command", "acp"]);
