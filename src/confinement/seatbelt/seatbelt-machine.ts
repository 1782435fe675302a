// Whether `sandbox-exec` holds on this machine: tried with the real thing, every time. Nobody has run it on a Mac yet, so
// nothing but the trial is believed.
import { createServer } from "node:net";
import { platform } from "node:os";
import { PROGRAM_LIMITS, type ProgramLimits } from "../bubblewrap/limits.ts";
import { HELD, type ProbePlace, tryOut } from "../bubblewrap/probe.ts";
import { BROKEN_OFF, ProbedOnce } from "../probed-once.ts";
import { findProgram } from "../../platform/find-program.ts";
import { SeatbeltAttempt, type SeatbeltTools } from "./seatbelt-attempt.ts";

export interface SeatbeltMachineParts {
  readonly tools: SeatbeltTools;
  readonly limits: ProgramLimits;
}

export type FoundSeatbelt =
  | { readonly kind: "parts"; readonly parts: SeatbeltMachineParts }
  | { readonly kind: "missing"; readonly why: string };

export class SeatbeltMachine extends ProbedOnce<FoundSeatbelt> {
  /** `tools`: what is found otherwise. A string says what is missing. */
  constructor(tools?: SeatbeltTools | string) {
    super((place) => examine(tools ?? findSeatbelt(), place), { kind: "missing", why: BROKEN_OFF });
  }
}

/** Of this process. */
export const thisSeatbelt = new SeatbeltMachine();

/** By their own paths: a PATH may name others of that name. */
function findSeatbelt(): SeatbeltTools | string {
  if (platform() !== "darwin") return "sandbox-exec is a part of macOS";
  const [launcher, shell] = ["/usr/bin/sandbox-exec", "/bin/sh"].map((file) =>
    findProgram(file, { cwd: "/", path: "" }),
  );
  if (launcher?.ok !== true || shell?.ok !== true) return "there is no sandbox-exec on this machine";
  return { launcher: launcher.file, shell: shell.file };
}

async function examine(tools: SeatbeltTools | string, place: ProbePlace): Promise<FoundSeatbelt | "broken-off"> {
  if (typeof tools === "string") return { kind: "missing", why: tools };
  const parts = { tools, limits: PROGRAM_LIMITS };
  const server = createServer((socket) => void socket.destroy());
  try {
    const port = await listen(server);
    const trial = { shell: tools.shell, script: script(port) };
    const probed = await tryOut("sandbox-exec", place, trial, (attemptPlace, wish) => {
      const label = { commands: "os", fileTools: "policy" } as const;
      return new SeatbeltAttempt({ ...parts, ...attemptPlace, privateHosts: [] }, wish, label);
    });
    if (probed.kind === "broken-off") return "broken-off";
    return probed.kind === "holds" ? { kind: "parts", parts } : { kind: "missing", why: probed.why };
  } finally {
    server.close();
  }
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

const CONNECT = "/usr/bin/nc";

/** Says so only where it reads what it may, nothing else, writes nothing, and finds nobody listening. */
const script = (port: number): string =>
  [
    `[ -r seen ] && : <seen || { echo 'the workspace is not there'; exit 1; }`,
    `! (: <"$1") 2>/dev/null || { echo 'files outside can be read'; exit 1; }`,
    `! (: >seen) 2>/dev/null || { echo 'what may only be read can be written'; exit 1; }`,
    `[ -x ${CONNECT} ] || { echo 'there is no ${CONNECT} to try the network with'; exit 1; }`,
    `! ${CONNECT} -z -w 2 127.0.0.1 ${port} 2>/dev/null || { echo 'the network is open'; exit 1; }`,
    `echo ${HELD}`,
  ].join("\n");
