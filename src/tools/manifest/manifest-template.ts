/** What `cadre tools new` writes: a tool that works as it is, with all that can be said beside it. */
export const manifestTemplate = (
  name: string,
): string => `# A tool that agents can call, and you: cadre tools run ${name} --input name=World
name: ${name}
description: Greets somebody. Say here what it is for and when to use it, for a model.

inputs:
  - name: name
    type: string # or number, integer, boolean
    description: Whom to greet
    required: true
    # default: World

# The program and its arguments. \${input} stands for a value, which always stays within its argument and is never
# read by a shell. A value that begins with "-" is refused unless an argument "--" stands before it. A program that
# begins with ./ lies in this folder.
command: [printf, "%s\\n", "Hello, \${name}!"]

# stdin: none            # or json: all inputs as one object; or { text: "\${name}" }
# env: [MY_VARIABLE]     # seen besides PATH, HOME and LANG, where the policy of the agent allows it
# timeout_ms: 60000
# effect: exec           # or read, write, net: what the policy is asked about
# output: text           # or json: standard output must be one JSON value
# max_output_kb: 100
`;
