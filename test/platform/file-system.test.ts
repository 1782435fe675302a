import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { fileSystemOf, isFarAway, mountOf } from "../../src/platform/file-system.ts";

const at = (type: number, name = "", options = "") => ({ type, name, options });

describe("a file system that another machine keeps", () => {
  it.each([
    ["nfs", 0x6969],
    ["smb", 0x517b],
    ["cifs", 0xff534d42],
    ["smb2", 0xfe534d42],
    ["afs", 0x5346414f],
    ["ceph", 0x00c36400],
  ])("is told by its number: %s", (_name, type) => {
    expect(isFarAway(at(type))).toBe(true);
  });

  it.each([
    ["ext4", 0xef53],
    ["xfs", 0x58465342],
    ["btrfs", 0x9123683e],
    ["tmpfs", 0x01021994],
    ["overlay", 0x794c7630],
    ["apfs, by its small number", 0x1a],
  ])("is not what a local one is taken for: %s", (_name, type) => {
    expect(isFarAway(at(type))).toBe(false);
  });

  it("is told by its name where it speaks FUSE: a container's own disk does too", () => {
    expect(isFarAway(at(0x65735546, "fuse.sshfs", "rw"))).toBe(true);
    expect(isFarAway(at(0x65735546, "fuse.rclone", "rw"))).toBe(true);
    expect(isFarAway(at(0x65735546, "fuse.fuse-overlayfs", "rw"))).toBe(false);
    expect(isFarAway(at(0x65735546, "fuseblk", "rw"))).toBe(false);
  });

  it("is told by how it is reached where it speaks 9p", () => {
    expect(isFarAway(at(0x01021997, "9p", "rw,trans=tcp,port=564"))).toBe(true);
    expect(isFarAway(at(0x01021997, "9p", "rw,trans=virtio"))).toBe(false);
    expect(isFarAway(at(0x01021997, "9p", "rw,trans=fd,rfdno=4,wfdno=4"))).toBe(false);
  });
});

describe("the mount of a folder", () => {
  const table = [
    "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "30 22 0:40 / /srv/me/far rw,nosuid shared:1 master:2 - fuse.sshfs me@far:/ rw,user_id=0",
    "31 22 0:41 / /srv/me/with\\040blank rw - nfs4 far:/x rw,vers=4.2",
    "32 22 0:42 / /mnt/twice rw - ext4 /dev/vdb rw",
    "33 32 0:43 / /mnt/twice rw - 9p share rw,trans=tcp",
    "",
  ].join("\n");

  it("is the innermost that it lies below, and the last where one covers another", () => {
    expect(mountOf("/srv/me/far/project/.cadre", table)).toEqual({ name: "fuse.sshfs", options: "rw,user_id=0" });
    expect(mountOf("/srv/me/far", table).name).toBe("fuse.sshfs");
    expect(mountOf("/srv/me/farther", table).name).toBe("ext4");
    expect(mountOf("/srv/me/with blank/x", table).name).toBe("nfs4");
    expect(mountOf("/mnt/twice/x", table)).toEqual({ name: "9p", options: "rw,trans=tcp" });
  });

  it("is nothing where there is no list", () => {
    expect(mountOf("/srv", "")).toEqual({ name: "", options: "" });
  });
});

it("finds the file system of a folder, and nothing where there is no folder", () => {
  expect(fileSystemOf(tmpdir())?.type).toBeTypeOf("number");
  expect(fileSystemOf("/no/such/folder")).toBeUndefined();
});
