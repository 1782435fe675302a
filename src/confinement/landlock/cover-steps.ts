// What Landlock cannot do: take away inside of what it has given, and keep programs from sockets that they know the path
// of. Where a program can have mounts of its own, they do it. Steps of a shell, each of which has to succeed.
import { mkdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../../domain/scopes.ts";
import { quoted } from "../bubblewrap/launch-script.ts";
import type { Shown } from "../shown.ts";
import type { NamespaceTools } from "./landlock-tools.ts";

export interface Covers {
  /** What lies deeper later. */
  readonly shown: readonly Shown[];
  /** Folders that are covered whatever is shown around them. */
  readonly closed: readonly string[];
  /** An empty folder to put things together in. */
  readonly stash: string;
  readonly tools: NamespaceTools;
}

export function coverSteps({ shown, closed, stash, tools }: Covers): string[] {
  const seen = shown.filter(({ kind }) => kind !== "empty");
  const covered = closed.filter((path) => !seen.some((one) => one.kind !== "hidden" && isWithin(path, one.path)));
  const places = [...covered.map((path) => ({ path, kind: "hidden" as const })), ...seen].toSorted(byDepth);
  const aroundOf = ({ path }: Shown): Shown[] =>
    places.filter((other) => other.path !== path && isWithin(path, other.path));
  return places.flatMap((one, index) => {
    const around = aroundOf(one);
    const nearest = around.at(-1);
    if (one.kind === "hidden") {
      const isGiven = around.some(({ kind }) => kind !== "hidden");
      const kept = places.filter((other) => other.kind !== "hidden" && aroundOf(other).at(-1) === one);
      return isGiven || covered.includes(one.path) ? hide(one.path, kept, join(stash, String(index)), tools) : [];
    }
    if (nearest === undefined || nearest.kind === "hidden") return []; // a mount of its own, or none
    if (one.kind === nearest.kind || (one.kind === "write" && !isMounted(nearest, around))) return [];
    return bind(one.path, one.path, one.kind, tools);
  });
}

const byDepth = (a: Shown, b: Shown): number => a.path.split("/").length - b.path.split("/").length;

/** Whether it is for reading by a mount, and not only because nothing more was given: something around may be written. */
const isMounted = (nearest: Shown, around: readonly Shown[]): boolean =>
  around.some((one) => one !== nearest && one.kind === "write");

/** An empty folder over it, with what lies in there and is to be seen. */
function hide(path: string, seen: readonly Shown[], at: string, tools: NamespaceTools): string[] {
  const { mount, mkdir, touch } = tools;
  mkdirSync(at, { recursive: true });
  // The folder for putting things together is needed again, where it lies in this one. Nobody is given it.
  const own: Shown[] = isWithin(at, path) ? [{ path: dirname(at), kind: "write" }] : [];
  const kept = [...seen, ...own];
  return [
    `${mount} -n -t tmpfs -o mode=0755,size=1m,nosuid,nodev tmpfs ${quoted(at)}`,
    ...kept.flatMap((one) => {
      const target = join(at, relative(path, one.path));
      const isFile = !isFolder(one.path);
      return [
        `${mkdir} -p ${quoted(isFile ? dirname(target) : target)}`,
        ...(isFile ? [`${touch} ${quoted(target)}`] : []),
        ...bind(one.path, target, one.kind, tools),
      ];
    }),
    `${mount} -n -o remount,bind,ro ${quoted(at)}`,
    `${mount} -n --move ${quoted(at)} ${quoted(path)}`,
  ];
}

const bind = (from: string, to: string, kind: Shown["kind"], { mount }: NamespaceTools): string[] => [
  `${mount} -n --bind ${quoted(from)} ${quoted(to)}`,
  `${mount} -n -o remount,bind,${kind === "write" ? "rw" : "ro"} ${quoted(to)}`,
];

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
