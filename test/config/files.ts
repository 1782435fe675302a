// A user's home and a project's, with these configuration files.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Files {
  readonly userHome: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly userFile: string;
  readonly projectFile: string;
}

export function files({
  user,
  project,
  env = {},
}: {
  user?: string;
  project?: string;
  env?: Record<string, string>;
}): Files {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-config-")));
  const [userHome, home] = [join(base, "home"), join(base, "project", ".cadre")];
  mkdirSync(join(userHome, ".cadre"), { recursive: true });
  mkdirSync(home, { recursive: true });
  const [userFile, projectFile] = [join(userHome, ".cadre", "config.yml"), join(home, "config.yml")];
  if (user !== undefined) writeFileSync(userFile, user);
  if (project !== undefined) writeFileSync(projectFile, project);
  return { userHome, home, env, userFile, projectFile };
}
