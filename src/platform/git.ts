// Our git: with settings of its own, and with the programs switched off that a repository's settings name.
import { spawn } from "node:child_process";
import { type CadreError, workspaceFailed } from "../errors/index.ts";
import { type GitSettings, NAMING_PROGRAMS, safeGitEnvironment, withoutPrograms } from "./safe-git.ts";

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Settings that hold for every command and for the gits that it starts. */
const SETTINGS: GitSettings = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.askPass", "false"],
  ["core.sshCommand", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.looseCompression", "1"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["core.filesRefLockTimeout", "5000"],
  ["core.packedRefsTimeout", "5000"],
  ["credential.helper", ""],
  ["gpg.program", "false"],
  ["commit.gpgSign", "false"],
  ["diff.submodule", "short"],
  ["merge.default", "text"],
  ["protocol.allow", "never"],
  ["safe.bareRepository", "explicit"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["checkout.workers", "0"],
  ["advice.detachedHead", "false"],
];

export interface GitPlace {
  readonly cwd: string;
  /** Told, git looks for no repository of its own: a `.git` that an agent has put there is not obeyed. */
  readonly gitDir?: string | undefined;
  readonly workTree?: string | undefined;
  readonly index?: string | undefined;
}

export interface GitOptions {
  /** For its standard input. */
  readonly input?: string | undefined;
  /** Exit codes that mean something; any other one is an error. */
  readonly codes?: readonly number[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly maxBytes?: number | undefined;
}

export interface GitAnswer {
  readonly code: number;
  /** One character per byte: names of files need not be text. */
  readonly out: string;
  readonly isCut: boolean;
}

export class Git {
  readonly place: GitPlace;
  readonly #settings: GitSettings;

  private constructor(place: GitPlace, settings: GitSettings) {
    this.place = place;
    this.#settings = settings;
  }

  /** Looks first for the programs that this repository's settings name. */
  static async open(place: GitPlace): Promise<Git> {
    const plain = new Git(place, SETTINGS);
    const names = await plain.names(["config", "--name-only", "-z", "--get-regexp", NAMING_PROGRAMS], {
      codes: [0, 1],
    });
    return new Git(place, [...SETTINGS, ...withoutPrograms(names)]);
  }

  /** The same repository, with another index or work tree. */
  at(place: Partial<GitPlace>): Git {
    return new Git({ ...this.place, ...place }, this.#settings);
  }

  async run(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    const { codes = [0], input, env = {}, maxBytes = MAX_OUTPUT_BYTES } = options;
    const child = spawn("git", [...args], {
      cwd: this.place.cwd,
      env: { ...this.#environment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    const closed = Promise.withResolvers<number>();
    child.on("error", (cause) => closed.reject(noGit(cause)));
    child.on("close", (code, signal) => closed.resolve(code ?? (signal === null ? 1 : 137)));
    const out = gather(child.stdout, maxBytes);
    const errors = gather(child.stderr, 64 * 1024);
    child.stdin.on("error", () => undefined); // it may have ended without reading all of it
    child.stdin.end(Buffer.from(input ?? "", "latin1"));
    const code = await closed.promise;
    if (codes.includes(code)) return { code, out: out.text(), isCut: out.isCut() };
    throw gitFailed(args, code, Buffer.from(errors.text(), "latin1").toString("utf8"));
  }

  /** One line. */
  async line(args: readonly string[], options?: GitOptions): Promise<string> {
    return (await this.run(args, options)).out.replace(/\n$/, "");
  }

  /** A list that ends each item with NUL. */
  async names(args: readonly string[], options?: GitOptions): Promise<string[]> {
    return (await this.run(args, options)).out.split("\0").filter((name) => name !== "");
  }

  #environment(): Record<string, string> {
    const { gitDir, workTree, index } = this.place;
    return {
      ...safeGitEnvironment(process.env["PATH"] ?? "", this.#settings),
      GIT_LITERAL_PATHSPECS: "1",
      ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
      ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    };
  }
}

function gather(stream: NodeJS.ReadableStream, maxBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
  });
  return { text: () => Buffer.concat(chunks).toString("latin1"), isCut: () => size > maxBytes };
}

const noGit = (cause: Error) =>
  workspaceFailed("git cannot be started", {
    hint: "Install git 2.38 or newer, and see that it is in the PATH.",
    cause,
  });

function gitFailed(args: readonly string[], code: number, stderr: string): CadreError {
  const [command = ""] = args;
  const said = stderr.trim().split("\n").slice(0, 3).join("; ");
  return workspaceFailed(`git ${command} failed${said === "" ? ` (${code})` : `: ${said}`}`, {
    facts: { command, exit: code },
  });
}

/** A name as git gave it, for people and for file calls. */
export const asText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
