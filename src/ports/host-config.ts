export interface HostChange {
  readonly path: string;
  /** What the file holds now; `null` where there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Another program's own configuration (Claude Code's, Codex's, …), so that it can delegate to Cadre.
 *
 * - `connect` and `disconnect` only plan: the caller shows the changes and writes them.
 * - `disconnect` MUST remove exactly what `connect` added, also from a file that was edited since, and keep
 *   comments and formatting of the rest.
 */
export interface HostConfig {
  readonly host: string;
  connect(): Promise<readonly HostChange[]>;
  disconnect(): Promise<readonly HostChange[]>;
}
