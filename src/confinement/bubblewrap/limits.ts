// How much an attempt's programs may take. Generous: they are there so that a program that runs away does not
// take the machine with it, not to plan its work.

const MEGABYTE = 1024 * 1024;

export interface ProgramLimits {
  /** Of all programs of an attempt where a cgroup counts them; else of each process. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  readonly fileBytes: number;
  /** Of each of the folders that exist only for the program: /tmp, /dev/shm, an empty home. */
  readonly scratchBytes: number;
}

export const PROGRAM_LIMITS: ProgramLimits = {
  memoryBytes: 4096 * MEGABYTE,
  processes: 512,
  openFiles: 16_384,
  fileBytes: 16_384 * MEGABYTE,
  scratchBytes: 512 * MEGABYTE,
};
