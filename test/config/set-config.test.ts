import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configuration } from "../../src/config/index.ts";
import { KEY_NAMES } from "../../src/config/keys.ts";
import { readConfigText } from "../../src/config/read-text.ts";
import { withSetting } from "../../src/config/set-config.ts";
import { files } from "./files.ts";

const CONCURRENT = "subagents.max_concurrent";
const NETWORK = "security.subagent_permissions.network";
const READ = "security.subagent_permissions.fs.read";

describe("a setting is changed where it stands", () => {
  test.each([
    [
      "a number, with its comment",
      "subagents:\n    max_concurrent: 3   # mine\n\n# end\n",
      CONCURRENT,
      7,
      "subagents:\n    max_concurrent: 7   # mine\n\n# end\n",
    ],
    [
      "a list in brackets",
      "security: {subagent_permissions: {network: [a.com,\n b.com]}} # x\n",
      NETWORK,
      false,
      "security: {subagent_permissions: {network: false}} # x\n",
    ],
    [
      "a new one, at the end of its group",
      "subagents:\n    timeout_ms: 3   # mine\n\n# about security\nsecurity:\n",
      CONCURRENT,
      7,
      "subagents:\n    timeout_ms: 3   # mine\n    max_concurrent: 7\n\n# about security\nsecurity:\n",
    ],
    [
      "into an empty group",
      "subagents:\n  # timeout_ms: 3\n",
      CONCURRENT,
      7,
      "subagents:\n  max_concurrent: 7\n  # timeout_ms: 3\n",
    ],
    ["into a file of comments", "# mine\n", CONCURRENT, 7, "# mine\nsubagents:\n  max_concurrent: 7\n"],
    [
      "into a file without a last line break",
      "subagents:\n  timeout_ms: 3",
      CONCURRENT,
      7,
      "subagents:\n  timeout_ms: 3\n  max_concurrent: 7\n",
    ],
    [
      "into nothing",
      "",
      READ,
      ["src", "it's"],
      'security:\n  subagent_permissions:\n    fs:\n      read: ["src", "it\'s"]\n',
    ],
  ] as const)("%s", (_name, before, key, value, after) => {
    expect(withSetting(before, key, typeof value === "object" ? [...value] : value)).toBe(after);
  });

  test("in a form that cannot be edited in place, comments stay all the same", () => {
    const text = withSetting(
      "security:\n  subagent_permissions:\n    fs:\n      # why\n      read:\n      - a # one\n      write: []\n",
      READ,
      ["b"],
    );
    expect(text).toContain("# why");
    expect(readConfigText(text, "f").entries.map(({ key, value }) => [key, value])).toEqual([
      [READ, ["b"]],
      ["security.subagent_permissions.fs.write", []],
    ]);
  });

  const value = fc.oneof(
    fc.record({ key: fc.constantFrom(...KEY_NAMES.slice(0, 4)), value: fc.integer({ min: 1, max: 1e6 }) }),
    fc.record({
      key: fc.constant(READ),
      value: fc.array(fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"))),
    }),
    fc.record({ key: fc.constant(NETWORK), value: fc.oneof(fc.boolean(), fc.array(fc.domain())) }),
    fc.record({ key: fc.constant("security.person_without_terminal" as const), value: fc.boolean() }),
  );

  test("after any changes the file holds exactly the last value of each", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("", "# c\n", "subagents: {}\n", "subagents:\n    timeout_ms: 9 # x\n"),
        fc.array(value),
        (start, changes) => {
          const expected = new Map<string, unknown>(
            readConfigText(start, "f").entries.map((one) => [one.key, one.value]),
          );
          let text: string = start;
          for (const change of changes) {
            text = withSetting(text, change.key, change.value);
            expected.set(change.key, change.value);
          }
          const { entries, problems } = readConfigText(text, "f");
          expect(problems).toEqual([]);
          expect(new Map(entries.map((one) => [one.key, one.value]))).toEqual(expected);
        },
      ),
    );
  });
});

describe("config set", () => {
  test("makes the file where there is none, for its owner only, and leaves nothing else behind", async () => {
    const place = files({});
    const { file } = await configuration(place).set({ key: CONCURRENT, value: "4", scope: "user" });
    expect(file).toBe(place.userFile);
    expect(readFileSync(file, "utf8")).toBe("subagents:\n  max_concurrent: 4\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual(["config.yml"]);
    expect(await configuration(place).get(CONCURRENT)).toMatchObject({ value: 4, source: "user" });
  });

  test("follows the link that a user has made, and keeps it", async () => {
    const place = files({});
    const real = `${place.home}/dotfile.yml`;
    writeFileSync(real, "# mine\n");
    symlinkSync(real, place.userFile);
    await configuration(place).set({ key: CONCURRENT, value: 4, scope: "user" });
    expect(lstatSync(place.userFile).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("# mine\nsubagents:\n  max_concurrent: 4\n");
  });

  test.each([
    [{ key: "subagents.max_concurent", value: 4, scope: "user" }, 'did you mean "subagents.max_concurrent"?'],
    [{ key: "subagents", value: 4, scope: "user" }, '"subagents" is a group of settings, not one'],
    [{ key: "sessions.expiry_days", value: 8, scope: "project" }, "may only tighten"],
    [{ key: CONCURRENT, value: "lots", scope: "user" }, 'must be a whole number above 0, not "lots"'],
    [{ key: CONCURRENT, value: 11, scope: "project" }, "may only tighten"],
    [{ key: READ, value: "src,/etc", scope: "project" }, "may only tighten"],
    [{ key: NETWORK, value: "true", scope: "project" }, "may only tighten"],
    [{ key: "security.person_without_terminal", value: "true", scope: "project" }, "only the user's own may say this"],
  ] as const)("refuses %j and writes nothing", async (change, says) => {
    const place = files({});
    await expect(configuration(place).set(change)).rejects.toMatchObject({
      code: "input.invalid",
      message: expect.stringContaining(says),
    });
    expect([place.userFile, place.projectFile].filter((file) => existsSync(file))).toEqual([]);
  });

  test("takes lists as they are typed", async () => {
    const place = files({});
    const config = configuration(place);
    const values = { "src, docs": ["src", "docs"], "[src]": ["src"], "[]": [] };
    for (const [value, expected] of Object.entries(values)) {
      await config.set({ key: READ, value, scope: "project" });
      expect(await config.get(READ)).toMatchObject({ value: expected, source: "project" });
    }
  });

  test("does not touch a file that is broken", async () => {
    const place = files({ user: "subagent:\n  x: 1\n" });
    await expect(configuration(place).set({ key: CONCURRENT, value: 4, scope: "user" })).rejects.toMatchObject({
      code: "definition.invalid",
      hint: "Nothing was changed. Correct the file first.",
    });
    expect(readFileSync(place.userFile, "utf8")).toBe("subagent:\n  x: 1\n");
  });

  test("has no project to set it for outside of one", async () => {
    const { userHome, env } = files({});
    const config = configuration({ userHome, env, home: `${userHome}/.cadre` });
    await expect(config.set({ key: CONCURRENT, value: 4, scope: "project" })).rejects.toMatchObject({
      hint: "Make one: cadre init",
    });
  });
});
