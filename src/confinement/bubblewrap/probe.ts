// Whether a sandbox holds on this machine: tried with the real thing, because containers, kernels and
// distributions forbid different parts of it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Confined, ConfinementWish, Exited, Keep } from "../../ports/index.ts";
import { BASELINE } from "../../domain/policy.ts";
import type { CustodyTier } from "../../schema/index.ts";
import { brandId } from "../../schema/index.ts";
import { AttemptFiles } from "./attempt-files.ts";
import type { AttemptPlace } from "./attempt-mounts.ts";
import { ConfinedAttempt } from "./confined-attempt.ts";
import type { MachineParts } from "./machine-parts.ts";

export type Probed =
  | { readonly kind: "holds" }
  | { readonly kind: "fails"; readonly why: string }
  /** Its end was somebody else's doing: nothing is known. */
  | { readonly kind: "broken-off" };

export const HELD = "held";
const MOST_WORDS = 2_000;

/** Says so only where it reads what it may, writes nothing, has no capabilities and is filtered. */
const script = (isFiltered: boolean): string =>
  [
    `[ -e seen ] || { echo 'the workspace is not there'; exit 1; }`,
    `[ ! -e "$1" ] || { echo 'files outside can be seen'; exit 1; }`,
    `! (: >seen) 2>/dev/null || { echo 'what may only be read can be written'; exit 1; }`,
    `while read -r name value; do case $name in`,
    `CapEff:) [ "$value" = 0000000000000000 ] || { echo 'capabilities are left'; exit 1; };;`,
    ...(isFiltered ? [`Seccomp:) [ "$value" = 2 ] || { echo 'system calls are not filtered'; exit 1; };;`] : []),
    `esac; done </proc/self/status`,
    `echo ${HELD}`,
  ].join("\n");

export interface ProbePlace {
  readonly keep: Keep;
  readonly custody: CustodyTier;
}

export function probe(parts: MachineParts, place: ProbePlace): Promise<Probed> {
  const { shell, machine } = parts.tools;
  return tryOut("bubblewrap", place, { shell, script: script(machine !== undefined) }, (attemptPlace, wish) => {
    const label = { commands: "os", fileTools: "policy" } as const;
    return new ConfinedAttempt({ ...parts, ...attemptPlace, privateHosts: [] }, wish, label);
  });
}

export interface Trial {
  readonly shell: string;
  /** Run in a folder with a file `seen`; `$1` is one outside of it. Says `HELD` where it finds itself held. */
  readonly script: string;
}

/** Runs a script that is confined by what is to be tried, and believes only what it says. */
export async function tryOut(
  what: string,
  { keep, custody }: ProbePlace,
  { shell, script: text }: Trial,
  confine: (place: AttemptPlace, wish: ConfinementWish) => Confined,
): Promise<Probed> {
  const files = new AttemptFiles();
  const { folder } = files;
  try {
    const root = join(folder, "in");
    mkdirSync(root);
    writeFileSync(join(root, "seen"), "");
    writeFileSync(join(folder, "unseen"), "");
    const place = { homes: [], quarantine: () => folder, programs: [] };
    const attempt = confine(place, wishFor(root, keep, custody));
    try {
      const args = ["-c", text, "sh", join(folder, "unseen")];
      const kept = keep.spawn(attempt.wrap({ file: shell, args, cwd: root, env: {} }));
      kept.endInput();
      const [said, errors, exited] = await Promise.all([textOf(kept.stdout), textOf(kept.stderr), kept.exited]);
      return resultOf(what, exited, said.trim(), errors.trim());
    } finally {
      await attempt.release();
    }
  } finally {
    files.remove();
  }
}

function resultOf(what: string, exited: Exited, said: string, errors: string): Probed {
  if (said === HELD) return { kind: "holds" };
  if (exited.kind === "killed") return { kind: "broken-off" };
  const why = [said, errors, exited.kind === "unstarted" ? exited.message : ""].find((text) => text !== "");
  return { kind: "fails", why: `${what} does not work here: ${why ?? "it says nothing"}` };
}

const wishFor = (root: string, keep: Keep, custody: CustodyTier): ConfinementWish => ({
  task: brandId("task", "probe"),
  policy: { ...BASELINE, fs: { read: ["."], write: [] } },
  workspace: { root, base: root, reads: [] },
  own: { plan: join(root, "plan"), folder: join(root, "workspace"), scopes: [] },
  keep,
  custody,
  onRefused: () => undefined,
  carriesSecret: () => false,
  isOwnTree: false,
  warn: () => undefined,
});

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) text = `${text}${decoder.decode(chunk, { stream: true })}`.slice(0, MOST_WORDS);
  return text;
}
