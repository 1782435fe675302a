// A project and a user of their own, on the disk.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { openHostConfig } from "../../src/hosts/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { ConnectWish, DisconnectWish } from "../../src/ports/index.ts";

export interface TestGround {
  readonly project: string;
  readonly userHome: string;
  readonly file: (path: string) => string;
  read(path: string): string;
  write(path: string, text: string | Uint8Array): void;
  has(path: string): boolean;
  /** Every file and folder, relative, but for Cadre's own. */
  all(): string[];
  connect(wish: Partial<ConnectWish> & { host: string }): ReturnType<ReturnType<typeof openHostConfig>["connect"]>;
  disconnect(
    wish: Partial<DisconnectWish> & { host: string },
  ): ReturnType<ReturnType<typeof openHostConfig>["disconnect"]>;
  list(): ReturnType<ReturnType<typeof openHostConfig>["list"]>;
}

/** As those that come with Cadre are called. */
const BUILT_IN = Object.entries({
  oracle: "oracle",
  review: "reviewer",
  pair: "pair",
  orchestrate: "orchestrator",
}).map(([slash, agent]) => ({ agent, slash: `/${slash}`, description: "d" }));

/** Paths that begin with `~/` are the user's, all others the project's. */
export function ground(
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): TestGround {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-hosts-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [project, userHome] = [join(base, "project"), join(base, "home")];
  for (const folder of [project, userHome]) mkdirSync(folder);
  const file = (path: string) => (path.startsWith("~/") ? join(userHome, path.slice(2)) : join(project, path));
  const hosts = openHostConfig({
    project,
    userHome,
    env: { PATH: "/nowhere", ...env },
    cadre: ["cadre"],
    clock: systemClock,
  });
  const one: TestGround = {
    project,
    userHome,
    file,
    read: (path) => readFileSync(file(path), "utf8"),
    write(path, text) {
      mkdirSync(dirname(file(path)), { recursive: true });
      writeFileSync(file(path), text);
    },
    has: (path) => existsSync(file(path)),
    all: () =>
      readdirSync(base, { recursive: true, encoding: "utf8" })
        .filter((path) => !path.includes(".cadre"))
        .toSorted(),
    connect: (wish) =>
      hosts.connect({ agents: BUILT_IN, env: [], commands: false, personas: false, dry: false, ...wish }),
    disconnect: (wish) => hosts.disconnect({ force: false, dry: false, ...wish }),
    list: () => hosts.list(),
  };
  for (const [path, text] of Object.entries(files)) one.write(path, text);
  return one;
}
