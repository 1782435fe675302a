// The part of the machine that every program needs and that holds nobody's own: programs, libraries, certificates.
import { lstatSync, readlinkSync } from "node:fs";

/** Where a system keeps its programs. All else is shown only where it is needed. */
const PROGRAMS = ["/usr", "/nix/store", "/gnu/store"];

/** Often links into /usr. */
const BESIDE = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Few, as each costs time; and never whole folders that hold keys: a worker that is root could read them. */
export const SETTINGS: readonly string[] = [
  "/etc/alternatives",
  "/etc/crypto-policies",
  "/etc/ld.so.cache",
  "/etc/localtime",
  "/etc/pki/ca-trust",
  "/etc/pki/tls/certs",
  "/etc/pki/tls/openssl.cnf",
  "/etc/ssl/cert.pem",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
];

export const SYSTEM_FOLDERS: readonly string[] = [...PROGRAMS, ...BESIDE];

export function systemMounts(): string[] {
  return [
    ...PROGRAMS.flatMap(readOnly),
    ...BESIDE.flatMap((path) => {
      const info = lstatSync(path, { throwIfNoEntry: false });
      if (info === undefined) return [];
      return info.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : readOnly(path);
    }),
    ...SETTINGS.flatMap(readOnly),
  ];
}

const readOnly = (path: string): string[] => ["--ro-bind-try", path, path];

export interface OwnSettings {
  readonly user: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Files of /etc that say who the program is and whom it knows, and nothing about the machine. */
export const settingFiles = ({ user, uid, gid, home }: OwnSettings): Readonly<Record<string, string>> => ({
  passwd: `${user}:x:${uid}:${gid}::${home}:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n`,
  group: `${user}:x:${gid}:\nnogroup:x:65534:\n`,
  hosts: "127.0.0.1 localhost\n::1 localhost\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
});
