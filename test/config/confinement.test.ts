import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/index.ts";

/** What comes of it where the user and the project say this. */
async function settled(user: string | null, project: string | null): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [userHome, home] = [join(folder, "user"), join(folder, "project", ".cadre")];
  for (const place of [join(userHome, ".cadre"), home]) mkdirSync(place, { recursive: true });
  const write = (place: string, word: string | null) => {
    if (word !== null) writeFileSync(join(place, "config.yml"), `security:\n  confinement: ${word}\n`);
  };
  write(join(userHome, ".cadre"), user);
  write(home, project);
  return (await loadConfig({ userHome, home, env: {} })).confinement;
}

it.each([
  [null, null, "best"],
  ["required", null, "required"],
  ["off", null, "off"],
  [null, "required", "required"],
  [null, "off", "best"],
  ["required", "off", "required"],
  ["required", "best", "required"],
])("the user says %s, the project %s: %s", async (user, project, comes) => {
  expect(await settled(user, project)).toBe(comes);
});
