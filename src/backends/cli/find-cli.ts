// Is it installed, which version, and has it a way to its model? Names of variables only, never their values.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../../platform/find-program.ts";
import type { Cli } from "./cli.ts";
import { fieldsOf, parseObject, textOf } from "../driven/json-fields.ts";

export interface Surroundings {
  /** The user's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own home, where logins lie. Undefined: none is looked for. */
  readonly userHome: string | undefined;
}

export interface FoundCli {
  /** Links followed. */
  readonly file: string;
  readonly version: string | undefined;
}

export type Detected = ({ readonly kind: "found" } & FoundCli) | { readonly kind: "missing"; readonly problem: string };

const VERSION = /\b(\d+)\.(\d+)\.(\d+)\b/;
const ANSWER_IN_MS = 20_000;

/** Asked anew for every task, and looked into again only when the program has changed. */
export class CliFinder {
  readonly #cli: Cli;
  readonly #around: Surroundings;
  readonly #versions = new Map<string, Promise<string | undefined>>();

  constructor(cli: Cli, around: Surroundings) {
    this.#cli = cli;
    this.#around = around;
  }

  async find(): Promise<Detected> {
    const path = this.#around.env["PATH"];
    const found = findProgram(this.#cli.program, { cwd: "/", path });
    if (!found.ok) return { kind: "missing", problem: found.problem };
    const file = realpathSync(found.file);
    const { mtimeMs, size } = statSync(file);
    const key = `${file} ${mtimeMs} ${size}`;
    const version = this.#versions.get(key) ?? this.#ask(file);
    this.#versions.set(key, version);
    return { kind: "found", file, version: await version };
  }

  /** The key that it would use: the variable's name. */
  get key(): string | undefined {
    return this.#cli.keys.find((name) => (valueOf(this.#around.env, name) ?? "") !== "");
  }

  /** Files of the user's own home by which it is logged in, where no key comes first. */
  get logins(): readonly string[] {
    const { userHome } = this.#around;
    return userHome === undefined ? [] : this.#cli.logins.filter((name) => existsSync(join(userHome, name)));
  }

  /** What a package says of itself is free; starting it may take seconds. */
  async #ask(file: string): Promise<string | undefined> {
    const packaged = packagedVersion(file, this.#cli.package);
    if (packaged !== undefined) return packaged;
    const env = { PATH: this.#around.env["PATH"] ?? "", HOME: "/nonexistent", TERM: "dumb", NO_COLOR: "1" };
    try {
      const { stdout, stderr } = await run(file, ["--version"], { env, timeout: ANSWER_IN_MS, maxBuffer: 64 * 1024 });
      return VERSION.exec(`${stdout}\n${stderr}`)?.[0];
    } catch {
      return undefined;
    }
  }
}

const run = promisify(execFile);

const valueOf = (env: Surroundings["env"], name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined;

const DEEP = 6;

function packagedVersion(file: string, name: string): string | undefined {
  let folder = dirname(file);
  for (let up = 0; up < DEEP; up++, folder = dirname(folder)) {
    try {
      const manifest = fieldsOf(parseObject(readFileSync(join(folder, "package.json"), "utf8")));
      if (manifest["name"] === name) return VERSION.exec(textOf(manifest["version"]) ?? "")?.[0];
    } catch {
      // none here
    }
  }
  return undefined;
}

/** Negative: the first is older. */
export function compareVersions(a: string, b: string): number {
  const [left = [], right = []] = [a, b].map((version) => version.split(".").map(Number));
  return left.map((part, index) => part - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
