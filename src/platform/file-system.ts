// What kind of file system a folder lies on.
import { statfsSync } from "node:fs";
import { resolve } from "node:path";
import { mountTable } from "./mount-table.ts";

export interface FileSystem {
  /** The kernel's number for it. */
  readonly type: number;
  /** As the list of mounts has it (`fuse.sshfs`), with its options. Empty where there is no such list. */
  readonly name: string;
  readonly options: string;
}

const FUSE = 0x65735546;
const NINE_P = 0x01021997;

/** nfs, smb, cifs, smb2, afs, ceph, coda, ncp, lustre. */
const FAR_AWAY: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x73757245, 0x564c, 0x0bd00bd0,
]);

/** Of the many that speak FUSE, these reach for another machine. A container's own disk may be one too. */
const FAR_AWAY_FUSE =
  /^fuse\.(sshfs|rclone|s3fs|goofys|gcsfuse|glusterfs|ceph|ceph-fuse|davfs2?|curlftpfs|smbnetfs|juicefs)$/;

/** Whether another machine keeps the files, so that locks and shared memory cannot be relied on. */
export function isFarAway({ type, name, options }: FileSystem): boolean {
  if (type === FUSE) return FAR_AWAY_FUSE.test(name);
  if (type === NINE_P) return /(^|,)trans=(tcp|rdma)(,|$)/.test(options);
  return FAR_AWAY.has(type);
}

/** `undefined` where the system does not say. */
export function fileSystemOf(folder: string): FileSystem | undefined {
  try {
    const { type } = statfsSync(folder);
    const needsMount = type === FUSE || type === NINE_P;
    return { type, ...(needsMount ? mountOf(resolve(folder), mountTable()) : { name: "", options: "" }) };
  } catch {
    return undefined;
  }
}

/** The last one of the innermost mounts that the folder lies below: later mounts cover earlier ones. */
export function mountOf(folder: string, table: string): Pick<FileSystem, "name" | "options"> {
  let found = { name: "", options: "", depth: -1 };
  for (const line of table.split("\n")) {
    const [before = "", after = ""] = line.split(" - ", 2);
    const point = unescaped(before.split(" ")[4] ?? "");
    const [name = "", , options = ""] = after.split(" ");
    const isAbove = point === "/" || folder === point || folder.startsWith(`${point}/`);
    if (point !== "" && isAbove && point.length >= found.depth) found = { name, options, depth: point.length };
  }
  return { name: found.name, options: found.options };
}

/** Blanks and the like stand there as `\040`. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
