// Defaults for windows and output where no data says, by the beginning of the model's name. First match wins.
type Rows = readonly (readonly [RegExp, number])[];

const WINDOWS: Rows = [
  [/^claude-/, 200_000],
  [/^gemini-/, 1_000_000],
  [/^(?:gpt-[5-9]|o\d)/, 200_000],
];
const ANY_WINDOW = 128_000;

/** What to ask for where nobody says. Every token of it is reserved, so it is less than most models could write. */
const OUTPUTS: Rows = [
  [/^claude-3-(?:opus|sonnet|haiku)/, 4096],
  [/^claude-3-/, 8192],
  [/^gpt-4o/, 16_384],
  [/^gpt-4\.1/, 32_000],
  [/^gpt-(?:3|4)/, 4096],
  [/^gemini-(?:1|2\.0)/, 8192],
  [/^(?:claude-|gpt-|o\d|gemini-)/, 32_000],
];
const ANY_OUTPUT = 8192;

const find = (rows: Rows, model: string): number | undefined => rows.find(([begins]) => begins.test(model))?.[1];

export const windowOf = (model: string): number => find(WINDOWS, model) ?? ANY_WINDOW;
export const maxOutputOf = (model: string): number => find(OUTPUTS, model) ?? ANY_OUTPUT;
