import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cadre, place, type Place } from "./command-line.ts";

/** A folder that knows nothing of Cadre yet. */
async function emptyPlace(): Promise<Place> {
  const where = await place({}, { trusted: false });
  const project = join(where.project, "..", "fresh");
  mkdirSync(project);
  return { ...where, project };
}

test("cadre init makes a home with an example, and says what comes next", async () => {
  const where = await emptyPlace();
  const { exit, stdout, stderr } = await cadre(where, "init");
  const home = join(where.project, ".cadre");
  expect(readdirSync(home).toSorted()).toEqual(
    [".gitignore", "agents", "config.yml", "logs", "plans", "sessions", "tasks", "workspace"].toSorted(),
  );
  expect(readFileSync(join(home, ".gitignore"), "utf8")).toContain("cadre.db*");
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(stdout).toContain(`Made in ${home}: `);
  expect(stderr).toContain("do nothing until its folder is trusted");
  expect(stderr).toContain("cadre trust");
  expect(stderr).toContain('cadre run hello "Greet me"');
  expect(exit).toBe(0);
});

test("the example is inert until the folder is trusted, and runs then", async () => {
  const where = await emptyPlace();
  await cadre(where, "init");
  expect((await cadre(where, "run", "hello", "Greet me")).stderr).toContain("not trusted");
  mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security: { person_without_terminal: true }\n");
  await cadre(where, "trust");
  expect(await cadre(where, "run", "hello", "Greet me")).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("Hello!"),
  });
});

test("running it twice changes nothing and says so", async () => {
  const where = await emptyPlace();
  await cadre(where, "init");
  unlinkSync(join(where.project, ".cadre", "agents", "hello.md"));
  writeFileSync(join(where.project, ".cadre", "config.yml"), "# mine\n");
  const { exit, stdout, stderr } = await cadre(where, "init");
  expect(stdout).toBe(`${join(where.project, ".cadre")} is there already. Nothing was changed.\n`);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(readFileSync(join(where.project, ".cadre", "config.yml"), "utf8")).toBe("# mine\n");
  expect(existsSync(join(where.project, ".cadre", "agents", "hello.md"))).toBe(false);
});

test("what is missing is made, what is there is kept", async () => {
  const where = await place({ ".cadre/agents/own.md": "x", ".cadre/config.yml": "# mine\n" });
  const { stdout } = await cadre(where, "init", "--json");
  const { data } = JSON.parse(stdout) as { data: { made: string[] } };
  expect(data.made).toEqual([".gitignore", "tasks/", "plans/", "logs/", "workspace/", "sessions/"]);
  expect(readdirSync(join(where.project, ".cadre", "agents"))).toEqual(["own.md"]);
});

test("a .cadre that is a file or a link is refused, and left alone", async () => {
  for (const put of [
    (path: string) => writeFileSync(path, "x"),
    (path: string) => symlinkSync("elsewhere", path),
    (path: string) => symlinkSync("..", path),
  ]) {
    const where = await emptyPlace();
    put(join(where.project, ".cadre"));
    const { exit, stderr } = await cadre(where, "init");
    expect(stderr).toContain("cannot be Cadre's home");
    expect(exit).toBe(3);
    expect(readdirSync(where.project)).toEqual([".cadre"]);
  }
});

test("another place can be named", async () => {
  const where = await emptyPlace();
  const { exit } = await cadre(where, "--home", "elsewhere/agents", "init");
  expect(exit).toBe(0);
  expect(existsSync(join(where.project, "elsewhere", "agents", "config.yml"))).toBe(true);
  expect(existsSync(join(where.project, ".cadre"))).toBe(false);
});
