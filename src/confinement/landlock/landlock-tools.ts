import { userInfo } from "node:os";
import { findProgram } from "../../platform/find-program.ts";
import { workerEnvironment } from "../../platform/process-environment.ts";
import { findLauncher, type LandlockLauncher } from "./find-launcher.ts";

/** What this machine has for holding programs without bubblewrap. */
export interface LandlockTools {
  readonly launcher: LandlockLauncher;
  readonly shell: string;
  readonly uid: number;
  readonly gid: number;
  /** Takes root's rights from a program: with them it could make itself a device file, and by that read the disk. */
  readonly setpriv: string | undefined;
  readonly namespaces: NamespaceTools | undefined;
}

export interface NamespaceTools {
  readonly unshare: string;
  readonly mount: string;
  readonly mkdir: string;
  readonly touch: string;
}

/** A string says what is missing. */
export async function findLandlockTools(): Promise<LandlockTools | string> {
  const launcher = await findLauncher();
  if (typeof launcher === "string") return launcher;
  const shell = find("sh", "/bin:/usr/bin");
  if (shell === undefined) return "there is no shell in /bin";
  const { uid, gid } = userInfo();
  const setpriv = find("setpriv");
  if (uid === 0 && setpriv === undefined)
    return "the worker is root, and there is no setpriv to take that from programs";
  return { launcher, shell, uid, gid, setpriv: uid === 0 ? setpriv : undefined, namespaces: namespaceTools() };
}

function namespaceTools(): NamespaceTools | undefined {
  const [unshare, mount, mkdir, touch] = ["unshare", "mount", "mkdir", "touch"].map((name) => find(name));
  if (unshare === undefined || mount === undefined || mkdir === undefined || touch === undefined) return undefined;
  return { unshare, mount, mkdir, touch };
}

function find(name: string, path = workerEnvironment()["PATH"]): string | undefined {
  const found = findProgram(name, { cwd: "/", path });
  return found.ok ? found.file : undefined;
}
