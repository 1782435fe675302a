import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isWithin } from "../../domain/scopes.ts";
import { admissionRefused } from "../../errors/index.ts";
import type { Workspaces } from "../../ports/index.ts";
import { plainFolder } from "../plain-folder.ts";

/** The project itself, or a folder of it. Several attempts may share it: nothing is copied or cleaned up. */
export function sharedWorkspaces(project: string): Workspaces {
  return {
    modes: ["shared"],
    async prepare({ spec }) {
      const { mode, path = "." } = spec.workspace;
      if (mode !== "shared")
        throw admissionRefused("workspace", `workspaces of the mode "${mode}" are not supported yet`);
      if (!isWithin(path, "."))
        throw admissionRefused("workspace", `the workspace "${path}" lies outside of the project`);
      const root = resolve(project, path);
      if (!existsSync(root)) throw admissionRefused("workspace", `the workspace "${path}" does not exist`);
      if (root !== project && leadsOut(root, project))
        throw admissionRefused("workspace", `the workspace "${path}" leads out of the project`);
      return plainFolder(root, project);
    },
  };
}

function leadsOut(root: string, project: string): boolean {
  const real = realPathOf(root);
  return real === null || !isWithin(real, realPathOf(project) ?? project);
}

/** At once: this takes microseconds, and a round through the thread pool many times that. */
function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
