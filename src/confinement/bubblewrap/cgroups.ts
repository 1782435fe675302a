// Memory and processes of all programs of an attempt together, where the kernel lets us count them: version 2 of
// cgroups where a part of the tree is ours, version 1 as root.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readProcess } from "../../platform/proc-table.ts";
import { ownPid } from "../../platform/processes.ts";
import type { ProgramLimits } from "./limits.ts";

/** Where groups of ours can be made, and what is written into a new one. */
export interface CgroupPlace {
  readonly folders: readonly CgroupFolder[];
}

interface CgroupFolder {
  readonly parent: string;
  /** The file by which a process signs up. */
  readonly door: string;
  /** Files of the group that bound something. */
  readonly bounds: (limits: ProgramLimits) => Readonly<Record<string, number>>;
}

const ROOT = "/sys/fs/cgroup";
const NAME = /^cadre-(\d+)-\d+$/;

const version2 = (parent: string): CgroupPlace => ({
  folders: [
    {
      parent,
      door: "cgroup.procs",
      bounds: ({ memoryBytes, processes }) => ({ "memory.max": memoryBytes, "pids.max": processes }),
    },
  ],
});

/** `tasks`: a thread that moves itself waits for nobody, a whole process for a grace period of the kernel. */
const version1 = (memory: string, processes: string): CgroupPlace => ({
  folders: [
    { parent: memory, door: "tasks", bounds: (limits) => ({ "memory.limit_in_bytes": limits.memoryBytes }) },
    { parent: processes, door: "tasks", bounds: (limits) => ({ "pids.max": limits.processes }) },
  ],
});

let made = 0;

/** A group for the programs of one attempt. */
export class Cgroup {
  /** To be written "0" into by whoever wants to be in it. */
  readonly doors: readonly string[];
  readonly #folders: readonly string[];

  constructor({ folders }: CgroupPlace, limits: ProgramLimits) {
    const name = `cadre-${ownPid()}-${++made}`;
    this.#folders = folders.map(({ parent }) => join(parent, name));
    this.doors = folders.map(({ parent, door }) => join(parent, name, door));
    try {
      for (const [index, { bounds }] of folders.entries()) {
        const folder = this.#folders[index] ?? "";
        mkdirSync(folder);
        for (const [file, most] of Object.entries(bounds(limits)))
          writeFileSync(join(folder, file), `${most}\n`, { flag: "r+" }); // what is no cgroup gets no such file
      }
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** Once nothing is in it any more. Says whether it is gone. */
  remove(): boolean {
    return this.#folders.map(removed).every(Boolean);
  }
}

/** Tried with the real thing; what a dead worker has left behind goes with it. */
export function findCgroups(limits: ProgramLimits): CgroupPlace | undefined {
  const place = candidates(ownGroups()).find((candidate) => canBeMade(candidate, limits));
  for (const { parent } of place?.folders ?? []) sweep(parent);
  return place;
}

function canBeMade(place: CgroupPlace, limits: ProgramLimits): boolean {
  try {
    return new Cgroup(place, limits).remove();
  } catch {
    return false;
  }
}

/** Beside our own group where ours has processes in it: version 2 wants those in the leaves only. */
function candidates(own: ReadonlyMap<string, string>): CgroupPlace[] {
  const [unified, memory, processes] = ["", "memory", "pids"].map((name) => own.get(name));
  return [
    ...(unified === undefined ? [] : [version2(join(ROOT, unified)), version2(join(ROOT, dirname(unified)))]),
    ...(memory === undefined || processes === undefined
      ? []
      : [version1(join(ROOT, "memory", memory), join(ROOT, "pids", processes))]),
  ];
}

/** By controller; version 2 has no name. */
function ownGroups(): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of read("/proc/self/cgroup").split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path !== undefined) for (const name of (controllers ?? "").split(",")) groups.set(name, path);
  }
  return groups;
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(pid) && readProcess(pid) === undefined) removed(join(parent, name));
  }
}

function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
