/** The Node that this process runs on, for a small program of our own beside it. */
export const ownProgram = (): string => process.execPath;
