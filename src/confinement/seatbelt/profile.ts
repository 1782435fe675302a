// The profile that `sandbox-exec` of macOS takes: everything is refused but what stands here, and of several rules that
// fit, the last one counts. So what lies deeper comes later, as with mounts.
import { dirname } from "node:path";
import { isWithin } from "../../domain/scopes.ts";
import { admissionRefused } from "../../errors/index.ts";
import type { Shown } from "../shown.ts";

export interface ProfileWish {
  readonly shown: readonly Shown[];
  /** Ports of this machine that may be reached. None: no network at all. */
  readonly ports: readonly number[];
}

/** What programs are made of, and what every one of them asks for at its start. */
const SYSTEM = [
  "/System",
  "/usr",
  "/bin",
  "/sbin",
  "/Library/Apple",
  "/Library/Frameworks",
  "/private/etc/hosts",
  "/private/etc/localtime",
  "/private/etc/passwd",
  "/private/etc/protocols",
  "/private/etc/services",
  "/private/etc/ssl",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
];
const DEVICES = ["null", "zero", "random", "urandom", "tty", "ptmx", "dtracehelper"].map((name) => `/dev/${name}`);
/**
 * Who the user is, and the log. Nothing that starts other programs, keeps secrets, or asks somebody on a program's
 * behalf: what looks into certificates (`com.apple.trustd`) fetches what these name, and would be a way out.
 */
const SERVICES = [
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
];

export function seatbeltProfile({ shown, ports }: ProfileWish): string {
  const places = shown.filter(({ kind }) => kind !== "empty");
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec)",
    "(allow process-info* signal (target same-sandbox))",
    "(allow sysctl-read)",
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name ${text(name)})`).join(" ")})`,
    `(allow file-read* (literal "/") ${SYSTEM.map(subpath).join(" ")})`,
    `(allow file-read* file-write-data file-ioctl ${DEVICES.map(literal).join(" ")} (subpath "/dev/fd"))`,
    // Only that they are there: the way down to what may be seen.
    `(allow file-read-metadata ${[...waysTo([...SYSTEM, ...places.map(({ path }) => path)])].map(literal).join(" ")})`,
    ...places.flatMap((one) => rulesFor(one, places)),
    ...ports.map((port) => `(allow network-outbound (remote ip ${text(`localhost:${port}`)}))`),
    "",
  ].join("\n");
}

function rulesFor({ path, kind }: Shown, places: readonly Shown[]): string[] {
  if (kind === "write") return [`(allow file-read* file-write* ${subpath(path)})`];
  const deny = kind === "hidden" ? "file-read* file-write*" : "file-write*";
  return [
    ...(kind === "hidden" ? [] : [`(allow file-read* ${subpath(path)})`]),
    `(deny ${deny} ${subpath(path)})`,
    // A folder on the way that is moved would take it to a place that no rule names.
    ...writableAbove(path, places).map((folder) => `(deny file-write-unlink ${literal(folder)})`),
  ];
}

/** Folders around it that a program could move. */
function writableAbove(path: string, places: readonly Shown[]): string[] {
  return [...waysTo([path])].filter((folder) => {
    const nearest = places.findLast((one) => isWithin(folder, one.path));
    return nearest?.kind === "write";
  });
}

/** All folders around these. */
function waysTo(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) for (let at = dirname(path); !folders.has(at); at = dirname(at)) folders.add(at);
  return folders;
}

const subpath = (path: string): string => `(subpath ${text(path)})`;
const literal = (path: string): string => `(literal ${text(path)})`;

/** A string of the profile's language. Brackets and semicolons mean nothing in one. */
function text(value: string): string {
  if (/\p{Cc}/u.test(value))
    throw admissionRefused(
      "confinement",
      `${JSON.stringify(value)} cannot stand in a sandbox profile: it holds control characters`,
      "Rename the folder",
    );
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
