// What the first process of a namespace that was made ahead is told to do. It is a shell, waiting for one empty line
// of standard input: the order then stands in a file that it was started with. What follows the line is the program's: a
// shell reads no further than it has to. Input that ends without a line means that the worker is gone, or has no use for
// it: the shell ends.
//
// - Nothing of an environment ever stands among arguments: those can be read by every user of the machine.
// - Not in the line itself: from a pipe, shells read byte by byte, which takes longer than many a program.
import type { Command } from "../ports/index.ts";
import { MARKER } from "./marker.ts";

/** Its number in the shell, which the program does not get to see. */
const ORDER_FILE = 3;

/**
 * The program is a child, and so the second process; the shell waits for it, collects what is orphaned in
 * there, and ends with its code. Its own standard error leads nowhere, so that "Terminated" of a program that
 * was asked to end does not stand among that program's words.
 */
export const AWAIT_ORDER = `nl='
'
IFS= read -r go || exit 0
exec 5>&2 2>/dev/null
(exec 2>&5 5>&-; . /dev/fd/${ORDER_FILE})
exit $?`;

/** So much of a file is read in one piece. */
const LONGEST = 8 * 1024;

/** Names that any shell hands on as they are. Others might be its own, or none that it can have. */
const HANDED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TERM|TMPDIR|EDITOR|PAGER|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)$/;
const SHELLS_OWN = /^(BASH|COMP|KSH|READLINE|ZSH)_/;

/** Set by shells, and exported by some. */
const LEFT_OUT = [MARKER, "PWD", "OLDPWD", "SHLVL", "_"];

/**
 * The line for a command whose file is absolute. `undefined` where a shell could not pass it on unchanged:
 * such a command is started in the way that changes nothing and takes longer. `cleaner` is `env`, where this
 * shell adds variables of its own that only another program can take out.
 */
export function orderFor({ file, args, cwd, env }: Command, cleaner: string | undefined): string | undefined {
  const names = Object.keys(env);
  if (!names.every((name) => HANDED_ON.test(name) && !SHELLS_OWN.test(name))) return undefined;
  if (!cwd.startsWith("/") || (cleaner !== undefined && file.includes("="))) return undefined;
  const words = [file, ...args];
  if ([...words, cwd, ...Object.values(env)].some((text) => text.includes("\0"))) return undefined;
  const exported = Object.entries(env).map(([name, value]) => ` ${name}=${quoted(value)}`);
  const clean = cleaner === undefined ? "" : `${quoted(cleaner)}${LEFT_OUT.map((name) => ` -u ${name}`).join("")} `;
  const order = [
    `exec ${ORDER_FILE}<&-`,
    `cd -P -- ${quoted(cwd)}`,
    `unset ${LEFT_OUT.join(" ")}`,
    ...(exported.length === 0 ? [] : [`export${exported.join("")}`]),
    `exec ${clean}${words.map(quoted).join(" ")}`,
  ].join(" && ");
  return order.length > LONGEST ? undefined : `${order}\n`;
}

/** As one word of a line: a shell leaves everything between single quotes alone, and a line has no line break. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`).replaceAll("\n", `'"$nl"'`)}'`;
