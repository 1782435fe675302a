// A user's home and a project's, with these configuration files.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../fresh-folder.ts";

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
  const base = freshFolder("config");
  const [userHome, home] = [join(base, "home"), join(base, "project", ".cadre")];
  mkdirSync(join(userHome, ".cadre"), { recursive: true });
  mkdirSync(home, { recursive: true });
  const [userFile, projectFile] = [join(userHome, ".cadre", "config.yml"), join(home, "config.yml")];
  if (user !== undefined) writeFileSync(userFile, user);
  if (project !== undefined) writeFileSync(projectFile, project);
  return { userHome, home, env, userFile, projectFile };
}
