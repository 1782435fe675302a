import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isPartlyKnown } from "../../../src/domain/partly-known.ts";
import { understand } from "../../../src/tools/bash/shell-grammar.ts";
import { quoted } from "../../../src/tools/bash/shell-words.ts";
import { temporaryFolder } from "../../custody/kit.ts";

const commandsOf = (source: string): readonly string[] | null => understand(source, "/srv/project").commands;

const anyPlain = fc.stringMatching(/^[a-z0-9_./:@%+,][a-z0-9_./:@%+,=-]{0,8}$/);
/** A prefix that no table knows: `zz` is no program. */
const anyProgram = fc.stringMatching(/^zz[a-z0-9]{1,6}$/);
const anyJoint = fc.constantFrom(" && ", " || ", "; ", " | ", "\n", " |& ", ";\n\n  ", " &&\n");

it("understands a line of plain words exactly", () => {
  const anyCommand = fc.tuple(anyProgram, fc.array(anyPlain, { maxLength: 4 })).map((parts) => parts.flat());
  fc.assert(
    fc.property(fc.array(anyCommand, { minLength: 1, maxLength: 5 }), anyJoint, (commands, joint) => {
      const typed = commands.map((words) => words.join(" "));
      expect(commandsOf(typed.join(joint))).toEqual(typed);
    }),
  );
});

const anyText = fc.string({ unit: fc.constantFrom(..."ab '\"\\$`!*?[]{}()<>|&;#~=\n\t-é".split("")), maxLength: 12 });

it("says every word as it would be typed, however it was quoted", () => {
  const anyQuoting = fc.constantFrom(
    quoted,
    (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`,
    (text: string) => `"${text.replace(/["\\$`]/g, "\\$&")}"`,
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(anyText, anyQuoting), { maxLength: 4 }), (words) => {
      const typed = ["zzrun", ...words.map(([text]) => quoted(text))].join(" ");
      const written = ["zzrun", ...words.map(([text, quote]) => quote(text))].join("  ");
      expect(commandsOf(written)).toEqual([typed]);
      expect(commandsOf(typed)).toEqual([typed]); // and that is understood in the same way
    }),
  );
});

it("quotes so that a shell reads the same text again", () => {
  const texts = fc.sample(anyText, 60);
  const script = texts.map((text) => `printf '%s\\0' ${quoted(text)}`).join("\n");
  const { stdout } = spawnSync("bash", ["--norc", "--noprofile", "-c", script], { encoding: "utf8" });
  expect(stdout.split("\0").slice(0, -1)).toEqual(texts);
});

it("types out braces and escapes as a shell does", () => {
  const anyWord = fc
    .array(
      fc.constantFrom(
        ..."{ } , a b -x .. $'\\x2d' $'c' \"d\" '' {a,b} {,-x} {a,{b,c}} {a,b{c,d}e} {d..b} {a,b}{c,} {a{b,c}}".split(
          " ",
        ),
      ),
      {
        minLength: 1,
        maxLength: 9,
      },
    )
    .map((pieces) => pieces.join(""));
  const known = fc.sample(anyWord, 3_000).flatMap((word) => {
    const { commands, mayRun } = understand(`zzrun ${word}`, "/srv/project");
    const shape = commands === null ? undefined : (mayRun ?? commands)[0];
    return shape === undefined || isPartlyKnown(shape) ? [] : [{ word, shape }];
  });
  const script = known.map(({ word }) => `printf '%s\\0' zzrun ${word}; printf '\\n'`).join("\n");
  const { stdout } = spawnSync("bash", ["--norc", "--noprofile", "-c", script], { encoding: "utf8" });
  const typed = stdout.split("\n").map((line) => line.split("\0").slice(0, -1).map(quoted).join(" "));
  expect(known.filter(({ word }) => /\{.*,.*\}/.test(word)).length).toBeGreaterThan(50);
  expect(known).toEqual(known.map(({ word }, at) => ({ word, shape: typed[at] })));
});

/** Pieces that a shell takes apart, put together without much sense. */
const anyLine = fc
  .array(
    fc.constantFrom(
      ..."zza zzb zzc |; |&|&&| || | \n|(|)|{ |; }|$(|`|\"|'|\\|$'|<(|#| #|${x:-|}|$x|{zza,zzb}|if |; then |; fi|for i in |; do |; done|[[ | ]]|$((|))|x=|*|~|\\\n|f() |! |time |<<E\n|\nE\n|<<'E'\n|2>&1|<<<|;;|case a in |a) | esac".split(
        "|",
      ),
      "zzd",
      "zze ",
      " ",
      " | ",
    ),
    { minLength: 1, maxLength: 10 },
  )
  .map((pieces) => pieces.join(""));

// The shell finds no program at all, and says what it looked for.
const LOGGED = "PATH=/nonexistent; command_not_found_handle() { printf '%s\\n' \"$1\" >&9; }\n";

function reallyRun(line: string, cwd: string): string[] {
  const { output } = spawnSync("bash", ["--norc", "--noprofile", "-c", LOGGED + line], {
    cwd,
    env: {},
    encoding: "utf8",
    timeout: 5_000,
    stdio: [..."ignore pipe pipe".split(" "), ...Array.from({ length: 6 }, () => "ignore"), "pipe"].map((kind) =>
      kind === "pipe" ? "pipe" : "ignore",
    ),
  });
  return (output[9] ?? "").split("\n").filter((name) => name !== "");
}

const namesIn = (commands: readonly string[]): string[] =>
  commands.map((command) => /^[^ \p{Cc}]*/u.exec(command)?.[0] ?? "");

function overlookedIn(lines: readonly { readonly line: string; readonly names: readonly string[] }[]): unknown[] {
  const cwd = temporaryFolder();
  return lines.flatMap(({ line, names }) =>
    reallyRun(line, cwd)
      .filter((name) => !names.includes(name) && !names.includes(quoted(name)))
      .map((name) => ({ line, name })),
  );
}

it("lists whatever a shell then really looks for", () => {
  const understood = fc
    .sample(anyLine, { numRuns: 4_000, seed: fc.sample(fc.integer(), 1)[0] ?? 1 })
    .flatMap((line) => {
      const commands = commandsOf(line);
      return commands === null ? [] : [{ line, names: namesIn(commands) }];
    })
    .slice(0, 150);
  expect(understood.length).toBeGreaterThan(20);
  expect(overlookedIn(understood)).toEqual([]);
}, 60_000);

/** Texts that are run when they are calculated, and all that may calculate, set or carry them. */
const anyCalculation = fc
  .array(
    fc.constantFrom(
      "x=1",
      "x='a[$(zza)]'",
      "y=x",
      "x=$y",
      "x=$((y))",
      'y="$((1))+x"',
      "x=(1 2)",
      "x=('a[$(zza)]')",
      "zzb $((x+1))",
      "zzb $((y))",
      "((x)); zzb",
      "for ((i=x; i<2; i++)); do zzb; done",
      "for x in 1 2; do zzb $((x)); done",
      "for x in 'a[$(zza)]'; do zzb; done",
      "[ $x -eq 1 ]; zzb",
      "[[ $x -eq 1 ]]; zzb",
      "[[ x -eq y ]]; zzb",
      "read x <<< 'a[$(zza)]'",
      "export x='a[$(zza)]'",
      ": 'a[$(zza)]'",
      "zzb $((_))",
      "IFS=, read y <<< 1",
      "f() { local x=$1; zzb $((x)); }; f 'a[$(zza)]'",
      "trap 'zzc' EXIT",
      "zzb",
    ),
    { minLength: 2, maxLength: 5 },
  )
  .map((pieces) => pieces.join("; "));

it("knows, for rules that stop, whatever a shell then really looks for", () => {
  const known = fc
    .sample(anyCalculation, { numRuns: 1_000, seed: fc.sample(fc.integer(), 1)[0] ?? 1 })
    .flatMap((line) => {
      const { commands, mayRun } = understand(line, "/srv/project");
      return commands !== null || mayRun === undefined ? [] : [{ line, names: namesIn(mayRun) }];
    })
    .slice(0, 150);
  expect(known.length).toBeGreaterThan(20);
  expect(overlookedIn(known)).toEqual([]);
}, 60_000);
