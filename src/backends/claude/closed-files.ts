// What the policy closes, as rules of claude's own: its searches then leave these files out by themselves, as was seen
// with the version that was tried. What does not become such a rule for certain stays with the hook.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { STATE_NAMES } from "../../domain/own-state.ts";
import { stoppedPaths, stopPatternsOf } from "../../domain/path-rules.ts";
import { folderIn, isWithin } from "../../domain/scopes.ts";
import { stoppedSpecs } from "../../domain/tool-rules.ts";
import type { Attempt } from "../../ports/index.ts";

interface ClosedFiles {
  readonly rules: readonly string[];
  /** Whether these are all that the policy closes to this tool. */
  readonly leavesOut: (tool: string) => boolean;
}

export function closedFiles({ task, workspace, homes, own }: Attempt, project: string): ClosedFiles {
  const { policy, workspace: binding } = task.spec;
  const bases = basesOf(workspace.root, folderIn(binding));
  const asked = policy.tools.flatMap(({ ask }) => ask);
  const denied = policy.tools.flatMap(({ deny }) => deny);
  const passed = new Map(
    stoppedSpecs(denied, "Read").flatMap((spec) => {
      const patterns = bases.map((base) => patternsIn(base, spec)).filter((some) => some !== undefined);
      const isWhole = patterns.length > 0 && patterns.length === bases.length;
      return isWhole ? [[spec, patterns.flat()] satisfies [string, string[]]] : [];
    }),
  );
  const kept = [workspace.root, own.folder, own.plan];
  const isOpen = (path: string): boolean => kept.some((inside) => isWithin(inside, path));
  const known = [".cadre", ...homes].map((home) => resolve(project, home));
  const state = STATE_NAMES.flatMap((name) => [
    ...known.filter((home) => !isOpen(`${home}/${name}`)).map((home) => `${literal(home)}/${name}`),
    // Nobody looks where else Cadre has worked. By such a rule the attempt's own would be closed, too.
    ...(kept.some((inside) => inside.includes(`/.cadre/${name}/`)) ? [] : [`/**/.cadre/${name}`]),
  ]);
  return {
    rules: [...new Set([...passed.values()].flat().concat(state))].map((path) => `Read(/${path})`),
    // What a person is to be asked about would be denied by such a rule: that is not passed on.
    leavesOut: (tool) => stoppedSpecs([...asked, ...denied], tool).every((spec) => passed.has(spec)),
  };
}

/** Where the paths of the policy begin, by every name of it. */
function basesOf(root: string, folder: string): string[] {
  if (folder !== "." && !root.endsWith(`/${folder}`)) return [];
  const bases = [root, realpathSync(root)].map((path) => (folder === "." ? path : path.slice(0, -folder.length - 1)));
  return [...new Set(bases.map(literal))];
}

/**
 * What is a sign in a pattern, or ends a rule before its end as `(` and `)` do, is any character: that closes no less.
 * Letters that can be spelled in several ways, or are counted in several, are any text.
 */
const literal = (path: string): string =>
  path
    .normalize("NFC")
    .replaceAll(/[*?[\]{}()!\\]/g, "?")
    .replaceAll(/[^\x20-\x7e]+/g, "*");

/** Both know `*`, `?` and whole `**` in the same way, and close all that lies below. */
const isShared = (name: string): boolean =>
  name === "**" || (/^[\w.@+*?-]+$/.test(name) && name !== ".." && !name.includes("**"));

function patternsIn(base: string, spec: string): string[] | undefined {
  const all = stopPatternsOf(spec)?.map(({ isAbsolute, ends }) => {
    const names = ends.filter((name, index) => name !== "**" || ends[index - 1] !== "**");
    if (names.length === 0 || !names.every(isShared)) return undefined;
    if (!isAbsolute) return `${base}/${names.join("/")}`;
    const path = `/${names.join("/")}`;
    // To us it closes nothing of the project; to claude, all of one that lies below.
    return stoppedPaths([path]).stops(base) ? undefined : path;
  });
  const known = all?.filter((one) => one !== undefined);
  return known?.length === all?.length ? known : undefined;
}
