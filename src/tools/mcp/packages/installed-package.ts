import type { LaunchedPackage } from "../../../domain/package-launchers.ts";
import { npmPackage } from "./npm-package.ts";
import { pythonPackage } from "./python-package.ts";

/** A package as it lies on this machine, and how its program is started. */
export interface InstalledPackage {
  readonly folder: string;
  readonly file: string;
  readonly args: readonly string[];
  /** What the program reads to run at all. */
  readonly reads: readonly string[];
  /** All that it is made of, those that it needs included: in each, every file counts. */
  readonly parts: readonly { readonly name: string; readonly folder: string }[];
  /** As its registry had it when it was installed, where that was written down. */
  readonly integrity: string | null;
}

export interface Whereabouts {
  /** Where the server is to be started. */
  readonly cwd: string;
  readonly home: string | undefined;
  readonly path: string | undefined;
}

/** Null: it is not installed, in this version. Throws a `ServerFault` where it cannot be used. */
export const installedPackage = (wanted: LaunchedPackage, where: Whereabouts): Promise<InstalledPackage | null> =>
  wanted.of === "npm" ? npmPackage(wanted, where) : pythonPackage(wanted, where);
