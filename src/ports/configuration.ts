import type { JsonObject } from "../schema/index.ts";

/** What a setting can be. `null`: nothing. */
export type SettingValue = number | boolean | string | null | string[] | JsonObject;

export interface Setting {
  readonly key: string;
  readonly value: SettingValue;
  readonly source: "default" | "project" | "user" | "environment";
  /** `file:line:column`, or the name of a variable. */
  readonly where: string | null;
  /** What holds while nobody says anything. */
  readonly fallback: SettingValue;
  readonly summary: string;
}

export interface SettingChange {
  readonly key: string;
  /** As itself, or as the text that somebody typed. */
  readonly value: SettingValue;
  /** Whose file is written. A project's may only tighten. */
  readonly scope: "user" | "project";
}

/**
 * Layered settings, from files and the environment.
 *
 * - Each call MUST read anew: files change.
 * - `set` MUST refuse what the layers would ignore afterwards, and keep whatever else the file holds.
 */
export interface Configuration {
  list(): Promise<{ readonly settings: readonly Setting[]; readonly warnings: readonly string[] }>;
  get(key: string): Promise<Setting>;
  set(change: SettingChange): Promise<{ readonly file: string }>;
}
