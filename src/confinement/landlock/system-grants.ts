// Of the machine, for every program: what it runs on, and nothing that is somebody's own.
import { existsSync } from "node:fs";
import { SETTINGS, SYSTEM_FOLDERS } from "../bubblewrap/system-mounts.ts";
import type { Grants } from "./find-launcher.ts";

/** A sandbox has these made for it. Here they are the machine's own. */
const ALSO_SETTINGS = [
  "/etc/group",
  "/etc/host.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/os-release",
  "/etc/passwd",
  "/etc/protocols",
  "/etc/resolv.conf",
  "/etc/services",
];

/** The kernel itself keeps a program that is held from looking into others that are not. */
const PROCESSES = "/proc";

/** Each by name: in /dev lie the disks, too, which are root's to open. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"].map((name) => `/dev/${name}`);

/** Everybody's. Many programs know no other place. */
export const SHARED_SCRATCH: readonly string[] = ["/tmp", "/dev/shm"].filter(existsSync);

export const systemGrants = (): Grants => ({
  read: [...SYSTEM_FOLDERS, ...SETTINGS, ...ALSO_SETTINGS, PROCESSES].filter(existsSync),
  write: DEVICES.filter(existsSync),
});
