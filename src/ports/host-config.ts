// Other programs' own configuration, so that they delegate to Cadre.

export type HostScope = "user" | "project";

/** An agent that people call by hand. */
export interface CalledAgent {
  readonly agent: string;
  /** `/oracle`, with or without its slash. */
  readonly slash: string;
  readonly description: string;
}

export interface ConnectWish {
  /** The program by its id: `claude`. */
  readonly host: string;
  /** Whose configuration. Default: as that program's users mostly have it. */
  readonly scope?: HostScope | undefined;
  /** Whose names the server's tools have. */
  readonly dialect?: string | undefined;
  /** Names of variables that the server needs, where a host does not hand on all that it has itself. Never a value. */
  readonly env: readonly string[];
  /** Commands that people type in that program (`/oracle`), where it has such. */
  readonly commands: boolean;
  /** Whom they are for. */
  readonly agents: readonly CalledAgent[];
  /** Gemini CLI's: two agents as extensions of it. */
  readonly personas: boolean;
  readonly dry: boolean;
}

export interface DisconnectWish {
  readonly host: string;
  /** Default: everywhere that this project and its user have connected it. */
  readonly scope?: HostScope | undefined;
  /** Takes out what was changed since, as well. */
  readonly force: boolean;
  readonly dry: boolean;
}

/** What became of one file. */
export interface HostChange {
  readonly file: string;
  /** `server`, or the command or agent that the file is. */
  readonly what: string;
  /**
   * `kept`: it is there, somebody changed it since, and it stays. `refused`: somebody else's is in its place.
   * `gone`: it was taken out already.
   */
  readonly result: "written" | "updated" | "unchanged" | "removed" | "kept" | "refused" | "gone";
  readonly message: string | null;
  /** A unified diff; null where nothing changes. */
  readonly diff: string | null;
}

export interface HostPlaceState {
  readonly scope: HostScope;
  readonly file: string;
  /** `changed`: connected, and edited since. `foreign`: an entry of that name that was not made by `connect` here. */
  readonly state: "connected" | "changed" | "foreign" | "absent" | "broken";
}

export interface HostState {
  readonly host: string;
  readonly title: string;
  /** Whether the program, or its folder, is on this machine. */
  readonly isFound: boolean;
  readonly places: readonly HostPlaceState[];
}

/**
 * - A file MUST keep everything else as it stands: comments, formatting, order, line ends, mode. A change is one step:
 *   readers see the old file or the new one. A file that somebody else changes meanwhile is read again.
 * - What cannot be read for sure (broken, too large, a link to elsewhere) MUST be refused, and nothing written.
 * - What `connect` adds is remembered before it is written. `disconnect` MUST remove exactly that, also from a file that
 *   was edited since; what somebody changed of it stays, unless told to.
 * - An entry of that name that is not ours MUST NOT be touched.
 * - What is `dry` MUST NOT write anything.
 */
export interface HostConfig {
  list(): Promise<readonly HostState[]>;
  connect(wish: ConnectWish): Promise<readonly HostChange[]>;
  disconnect(wish: DisconnectWish): Promise<readonly HostChange[]>;
}
