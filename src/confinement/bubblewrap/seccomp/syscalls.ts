// Numbers of system calls, by machine. The kernel never changes one.

export type Machine = "x64" | "arm64";

/** As `seccomp` calls the machines. */
export const AUDIT_ARCH: Readonly<Record<Machine, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** What no program of an attempt has any business with. `null`: this machine does not have it. */
const REFUSED: Readonly<Record<string, readonly [x64: number, arm64: number | null]>> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  // Namespaces and mounts: what the sandbox itself is made of.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  // Parts of the kernel that are large, seldom needed, and have been ways out before.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  modify_ldt: [154, null],
  uselib: [134, null],
  // The machine itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  iopl: [172, null],
  ioperm: [173, null],
};

/** Said not to exist, because whoever calls them then goes another way: one that can be looked at. */
const ABSENT: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
};

/** Refused by what they are asked for. */
const LOOKED_AT = {
  socket: [41, 198],
  clone: [56, 220],
  ioctl: [16, 29],
  personality: [135, 92],
} as const;

const column = (machine: Machine): 0 | 1 => (machine === "x64" ? 0 : 1);

export const refusedCalls = (machine: Machine): number[] =>
  Object.values(REFUSED).flatMap((numbers) => numbers[column(machine)] ?? []);

export const absentCalls = (machine: Machine): number[] =>
  Object.values(ABSENT).map((numbers) => numbers[column(machine)]);

export const callNumber = (name: keyof typeof LOOKED_AT, machine: Machine): number => LOOKED_AT[name][column(machine)];
