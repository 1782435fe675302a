export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code));

/** For `catch`: these say that there is nothing, all others are passed on. */
export const unless =
  (...codes: readonly string[]) =>
  (error: unknown): undefined => {
    if (!isCode(error, ...codes)) throw error;
  };
