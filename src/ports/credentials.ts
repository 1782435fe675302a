/**
 * Secrets of the user: keys of model providers, tokens of backends.
 *
 * - Names and hashes may be stored and shown, values MUST NOT: not in events, logs, errors or state files.
 * - A project's files MUST NOT be a source of them.
 * - A value is handed only to the backend that needs it, at the moment it is launched.
 */
export interface Credentials {
  /** Which of these variables this process has. */
  available(names: readonly string[]): Promise<readonly { readonly name: string; readonly sha256: string }[]>;
  value(name: string): Promise<string | undefined>;
  /** Values that must not leave an attempt, by name: each becomes `{{secret:NAME}}` before log, disk and model. */
  known(): Iterable<readonly [name: string, value: string]>;
}
