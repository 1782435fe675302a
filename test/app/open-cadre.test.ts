import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { clock, mint } from "../../src/app/system.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { freshFolder } from "../fresh-folder.ts";

test("says why it cannot be opened, also where the store then cannot be closed", async () => {
  const userHome = freshFolder("open");
  const home = join(userHome, ".cadre");
  mkdirSync(home);
  writeFileSync(join(home, "config.yml"), "sub_agents: {}\n");
  const real = await sqliteStore(join(home, "cadre.db"), clock, mint);
  let isClosed = false;
  const store = new Proxy(real, {
    get(target, name) {
      if (name === "close")
        return async () => {
          await target.close();
          isClosed = true;
          throw new Error("the disk is full");
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  await expect(openCadre({ home, userHome, cwd: userHome, env: {}, store, onProblem })).rejects.toMatchObject({
    code: "definition.invalid",
    message: expect.stringContaining('unknown key "sub_agents"'),
  });
  expect(isClosed).toBe(true);
  expect(problems).toEqual(["The store could not be closed: the disk is full"]);
});

test.each([
  [{ name: "bad", description: "d", max_turns: "many" }, /^the agent "bad": [\s\S]*at max_turns$/],
  [{ name: "bad", description: "d", tols: ["Read"] }, /^the agent "bad": [\s\S]*tols/],
  [{ description: "d" }, /^an agent without a name: [\s\S]*at name$/],
  [null, /^an agent without a name: /],
])("an agent from code that does not fit is named, with its field: %j", async (agent, message) => {
  const userHome = freshFolder("open");
  const options: object = { home: join(userHome, ".cadre"), userHome, cwd: userHome, env: {}, agents: [agent] };
  await expect(openCadre(options)).rejects.toMatchObject({
    code: "definition.invalid",
    message: expect.stringMatching(message),
  });
});
