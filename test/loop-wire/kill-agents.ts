// For the tests that kill workers: ten steps, each of which leaves a line; and one that hands them to another.
import type { CadreOptions } from "../../src/app/index.ts";

export const STEPS = 10;

const rights = { permission_mode: "auto", workspace: { mode: "shared", allow_writes: true } } as const;

const killAgents: NonNullable<CadreOptions["agents"]> = [
  {
    ...rights,
    name: "steps",
    description: "takes ten steps",
    backend: "native",
    tape: [
      ...Array.from({ length: STEPS }, (_, step) => ({
        call: "Bash",
        input: { command: `echo ${step} >> effects; sleep 0.03` },
      })),
      { answer: "all ten" },
    ],
  },
  {
    ...rights,
    name: "lead",
    description: "hands out ten steps",
    backend: "native",
    capabilities: ["orchestrator", "subtask"],
    tape: [{ delegate: "steps", prompt: "take them" }, { answer: "they are taken" }],
  },
];

export const optionsFor = (project: string, userHome: string): CadreOptions => ({
  home: `${project}/.cadre`,
  userHome,
  cwd: project,
  env: { PATH: process.env["PATH"] },
  agents: killAgents,
  settings: { rateLimitPerMin: 10_000 },
});
