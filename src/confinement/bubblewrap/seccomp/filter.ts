// The filter on system calls, as the kernel takes it: classic BPF, 8 bytes per instruction. Written here because
// it is short, and nothing else that could make it is on every machine.
import { absentCalls, AUDIT_ARCH, callNumber, type Machine, refusedCalls } from "./syscalls.ts";

type Instruction = readonly [code: number, jumpIf: number, jumpElse: number, value: number];

const LOAD = 0x20; // a word of the call's data, by its offset
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const NUMBER_AT = 0;
const MACHINE_AT = 4;
const argumentAt = (index: number): number => 16 + 8 * index; // its lower half

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const answer = (errno: number): Instruction => [RETURN, 0, 0, 0x0005_0000 | errno];
const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff_0000];

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
/** Each is followed by one instruction, for the case that it holds. */
const ifEqual = (value: number): Instruction => [IF_EQUAL, 0, 1, value];
const ifAnyBit = (mask: number): Instruction => [IF_ANY_BIT, 0, 1, mask];

const UNIX = 1;
const INTERNET = [2, 10];
const NETLINK = 16; // lists interfaces; there are none but loopback
const NEW_NAMESPACES = 0x7e02_0000;
const X32_CALLS = 0x4000_0000; // a second way to each call of x64
const INTO_A_TERMINAL = [0x5412, 0x541c]; // TIOCSTI and TIOCLINUX: typing for somebody else
const HARMLESS_PERSONALITIES = [0, 0xffff_ffff];

export interface FilterWish {
  /** Sockets with a path: a way to other programs of the user, past every rule about the network. */
  readonly unixSockets: boolean;
}

/** Everything that is not refused is allowed: a list of what programs may need would be wrong tomorrow. */
export function seccompFilter(machine: Machine, { unixSockets }: FilterWish): Buffer {
  const families = [...INTERNET, NETLINK, ...(unixSockets ? [UNIX] : [])];
  return bytesOf([
    load(MACHINE_AT),
    [IF_EQUAL, 1, 0, AUDIT_ARCH[machine]],
    answer(EPERM), // another machine's calls (32 bits) have other numbers
    load(NUMBER_AT),
    ...(machine === "x64" ? ([[IF_AT_LEAST, 0, 1, X32_CALLS], answer(ENOSYS)] satisfies Instruction[]) : []),
    ...refusedCalls(machine).flatMap((number) => [ifEqual(number), answer(EPERM)]),
    ...absentCalls(machine).flatMap((number) => [ifEqual(number), answer(ENOSYS)]),
    ...when(callNumber("socket", machine), 0, [
      ...families.flatMap((family) => [ifEqual(family), ALLOW]),
      ifEqual(UNIX),
      answer(EPERM),
      answer(EAFNOSUPPORT),
    ]),
    ...when(callNumber("clone", machine), 0, [ifAnyBit(NEW_NAMESPACES), answer(EPERM), ALLOW]),
    ...when(callNumber("ioctl", machine), 1, [
      ...INTO_A_TERMINAL.flatMap((request) => [ifEqual(request), answer(EPERM)]),
      ALLOW,
    ]),
    ...when(callNumber("personality", machine), 0, [
      ...HARMLESS_PERSONALITIES.flatMap((persona) => [ifEqual(persona), ALLOW]),
      answer(EPERM),
    ]),
    ALLOW,
  ]);
}

/** For one call alone, by one of its arguments. `then` has to come to an end: the call's number is forgotten. */
const when = (number: number, argument: number, then: readonly Instruction[]): Instruction[] => [
  [IF_EQUAL, 0, then.length + 1, number],
  load(argumentAt(argument)),
  ...then,
];

function bytesOf(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpIf, jumpElse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpIf, index * 8 + 2);
    bytes.writeUInt8(jumpElse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
