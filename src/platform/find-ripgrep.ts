/** The program that comes with the package of that name; undefined on a machine that it was not built for. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined;
  }
}
