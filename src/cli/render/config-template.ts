/** A project's config.yml to begin with: every setting that it may hold, as it is without it. */
export const CONFIG_TEMPLATE = `# Settings of this project. A project may only tighten what holds without it: smaller numbers, less to
# read and write. Your own settings are in ~/.cadre/config.yml and outrank these. See: cadre config list

# subagents:
#   max_concurrent: 10
#   timeout_ms: 600000
#   max_output_kb: 100
#   rate_limit_per_min: 20

# sessions:
#   max_history: 20
#   max_context_tokens: 32000
#   expiry_days: 7

# workspaces:
#   collisions: queue

# permissions:
#   ask: []
#   deny: []

# security:
#   require_approval:
#     subagents: true
#     tools: true
#   subagent_permissions:
#     fs:
#       read: ["."]
#       write: ["."]
#     network: false
#     env:
#       allow: [PATH, HOME, LANG]
#     max_runtime_mins: 10
#   key_gateway: true
#   confinement: best
#   host_approvals: true
`;

/** An agent that runs without a model, to see something happen and to copy from. */
export const EXAMPLE_AGENT = `---
name: hello
description: An example. It greets you, and shows what a run looks like.
# A tape is a script of what the agent says and does: it needs no model and no key.
tape:
  - say: I was made by cadre init, and I am only a tape.
  - pause_ms: 300
  - answer: Hello! Copy me to write an agent of your own.
---

You greet people, in one sentence.
`;
