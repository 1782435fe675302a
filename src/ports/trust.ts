/**
 * Which folders a person has trusted.
 *
 * - By real path: a link to a trusted folder is not another folder, and a trusted link that is turned
 *   elsewhere is not trusted any more.
 * - MUST be kept outside of the folder in question: a repository cannot trust itself.
 */
export interface Trust {
  isTrusted(folder: string): Promise<boolean>;
  grant(folder: string): Promise<void>;
  revoke(folder: string): Promise<void>;
  list(): Promise<readonly string[]>;
}
