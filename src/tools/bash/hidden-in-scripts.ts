// The small languages of sed and awk: what a script of theirs may run or write.
import { isPartlyKnown, OPERAND } from "../../domain/partly-known.ts";
import type { RuleSide } from "../../domain/tool-rules.ts";
import type { ShellWord } from "./shell-words.ts";
import { isLoose } from "./wrappers.ts";

type Args = readonly ShellWord[];

const AWK_ACTS = /[|>@`]|system|getline|close|fflush|extension|ARG|ENVIRON|PROCINFO/;
/** What runs a program; a file that is written is none. */
const AWK_RUNS = /(?<!\|)\|(?!\|)|@|system|extension/;
/** `[^a-z]`, and none of these signs in it: in brackets the sign that ends a pattern may not end it. */
function bracketWithout(signs: string): string {
  const one = (more = ""): string => `(?:\\[:[a-z]+:\\]|[^\\][\\\\\\n${signs}${more}]|\\\\[^\\]\\n${signs}])`;
  return `\\[\\^?${one("^")}${one()}*\\]`;
}

/** A pattern where no division can stand. One with quotes is left as it is: they may be those of texts. */
const AWK_PATTERN = new RegExp(
  `(^|[~(,;{}!&|]|(?<!\\\\)\\n)[ \\t]*/(?:[^/\\\\\\n"[]|\\\\[^\\n"]|${bracketWithout('/"')})*/`,
  "g",
);

/** With a slash left, what was taken for a pattern may have been what stands between two. */
function awkRuns(script: string): boolean {
  const rest = script.replace(AWK_PATTERN, "$1");
  return AWK_RUNS.test(script) && (AWK_RUNS.test(rest) || rest.includes("/"));
}

const awkActs = (script: string, side: RuleSide): boolean =>
  side === "pass" ? AWK_ACTS.test(script) : awkRuns(script);

export function awkHides(args: Args, side: RuleSide): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const value = args[at]?.value ?? null;
    if (value === null) return true;
    if (/^-[Fv]$/.test(value)) {
      const next = args[(at += 1)];
      if (next?.splits === true || next?.isGlob === true) return true; // the script may be among what comes of it
    } else if (/^-F./.test(value)) continue;
    else if (value.startsWith("-")) return true;
    else return awkActs(value, side) || args.slice(at + 1).some(isLoose);
  }
  return true;
}

const BODY = (delimiter: string): string => `(?:[^${delimiter}\\\\\\n]|\\\\[^\\n])*`;
const PATTERN = (delimiter: string): string => `(?:[^${delimiter}\\\\\\n[]|\\\\[^\\n]|${bracketWithout(delimiter)})*`;
const SUBSTITUTION = ["/", "|", "#", ","]
  .map((sign) => `\\${sign}`)
  .map((sign) => `s${sign}${PATTERN(sign)}${sign}${BODY(sign)}${sign}[gpiI0-9]*`);
/** As people write them, too. In brackets a colon may be part of a name there, so it has none. */
const MORE_SUBSTITUTION = [
  `s@${PATTERN("@")}@${BODY("@")}@[gpiI0-9]*`,
  `s:(?:[^:\\\\\\n[]|\\\\[^\\n])*:${BODY(":")}:[gpiI0-9]*`,
  `y/${BODY("/")}/${BODY("/")}/`,
];
const PLACE = `(?:[\\d${OPERAND}]+|\\$|/${PATTERN("/")}/)`;
const SED_READS = new RegExp(`^(?:${PLACE}(?:,${PLACE})?)? ?!?(?:[pdq=]|${SUBSTITUTION.join("|")})$`);

/** One command of several, or what stands between them. None of these runs anything or names a file. */
const SED_STEP = new RegExp(
  `[\\s;{}]+|(?:(?:\\d+~\\d+|${PLACE}I?)(?:,(?:${PLACE}|[+~]\\d+))?)? *!? *(?:${[
    "[pdqQ=gGhHnNxDPl](?=[\\s;}]|$)",
    ...[...SUBSTITUTION, ...MORE_SUBSTITUTION].map((one) => `${one}(?=[\\s;}]|$)`),
    "[aic](?:\\\\\\n?|[ \\t])[^\\n]*",
    "[bt:] *\\w*(?=[\\s;}]|$)",
    "\\{",
  ].join("|")})`,
  "y",
);

function isHarmlessSed(script: string, side: RuleSide): boolean {
  if (side === "pass") return SED_READS.test(script);
  SED_STEP.lastIndex = 0;
  while (SED_STEP.lastIndex < script.length) if (!SED_STEP.test(script)) return false;
  return script !== "";
}

/** With a quoted variable: it stands for a line's number, or for text. */
function scriptIn(word: ShellWord | undefined, side: RuleSide): string | undefined {
  if (word === undefined || word.value !== null) return word?.value ?? undefined;
  const isKnown = side === "stop" && !word.splits && !isPartlyKnown(word.shape.replaceAll(OPERAND, ""));
  return isKnown ? word.shape.replaceAll("'", "") : undefined;
}

/** Whether its script may run something; to let it through, also whether it writes. */
export function sedHides(args: Args, side: RuleSide): boolean {
  let hasScript = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    const value = word?.value ?? null;
    if (word !== undefined && value === null && hasScript && !isLoose(word) && !word.prefix.startsWith("-")) continue;
    if (value !== null && /^(?:-[nErsuz]+|--quiet|--silent|--regexp-extended|--null-data)$/.test(value)) continue;
    if (value !== null && /^-[nErsuz]*i|^--in/.test(value)) {
      if (side === "pass") return true;
      if (value === "-i" && args[at + 1]?.value === "") at += 1; // `-i ''`, as it is written elsewhere than on Linux
    } else if (value === "-e" || (!hasScript && value?.startsWith("-") !== true)) {
      const script = scriptIn(value === "-e" ? args[(at += 1)] : word, side);
      if (script === undefined || !isHarmlessSed(script, side)) return true;
      hasScript = true;
    } else if (value === null || (value.startsWith("-") && value !== "-")) return true;
  }
  return !hasScript;
}
