import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TODO_STATUS, todosIn, withChecklist } from "../../../src/tools/todo/checklist.ts";
import { kit } from "../files/kit.ts";

const todo = (content: string, status = "pending") => ({ content, status });

describe("TodoWrite", () => {
  test("keeps the list as a checklist in the plan file", async () => {
    await using files = await kit();
    const todos = [
      todo("Look", "completed"),
      { ...todo("Build", "in_progress"), activeForm: "Building" },
      todo("Test"),
    ];
    expect(await files.text("TodoWrite", { todos })).toBe(
      "The list has 3 items, 2 of them not completed.\n- [x] Look\n- [~] Build\n- [ ] Test",
    );
    expect(await readFile(files.own.plan, "utf8")).toBe(
      "# Plan\n\n<!-- todo: begin -->\n- [x] Look\n- [~] Build\n- [ ] Test\n<!-- todo: end -->\n",
    );
  });

  test("has no effect that the policy would ask about, and leaves traces in the plan", async () => {
    await using files = await kit();
    expect(files.plan("TodoWrite", { todos: [] })).toEqual({ ok: true, use: { effect: "none", leavesTraces: true } });
  });

  test("replaces its own list, and nothing else in the plan", async () => {
    await using files = await kit();
    await files.text("Write", { file_path: files.own.plan, content: "# Mine\n\nWhy and how.\n" });
    await files.text("TodoWrite", { todos: [todo("A")] });
    await files.text("Read", { file_path: files.own.plan });
    await files.text("Edit", {
      file_path: files.own.plan,
      old_string: "todo: end -->",
      new_string: "todo: end -->\n\nLater.",
    });
    await files.text("TodoWrite", { todos: [todo("B", "completed")] });
    expect(await readFile(files.own.plan, "utf8")).toBe(
      "# Mine\n\nWhy and how.\n\n<!-- todo: begin -->\n- [x] B\n<!-- todo: end -->\n\nLater.\n",
    );
  });

  test("lets one item be in progress at a time", async () => {
    await using files = await kit();
    const todos = [todo("A", "in_progress"), todo("B", "in_progress")];
    expect(await files.problem("TodoWrite", { todos })).toBe(
      '`todos`: only one item may be in_progress at a time, not "A" and "B"',
    );
    expect(await files.problem("TodoWrite", { todos: [todo("  ")] })).toContain("`todos[0].content` is empty");
  });

  test("shows a later attempt what an earlier one has written", async () => {
    await using files = await kit();
    await files.text("TodoWrite", { todos: [todo("A", "completed"), todo("B")] });
    const later = (await files.again()).find(({ name }) => name === "TodoWrite");
    expect(later?.description).toContain("The list as it stands:\n- [x] A\n- [ ] B");
    expect(files.tool("TodoWrite").description).not.toContain("as it stands");
  });

  test("knows after a worker's death whether the list was kept", async () => {
    await using files = await kit();
    const input = { todos: [todo("A")] };
    expect(await files.reattach("TodoWrite", input)).toBeUndefined();
    await files.text("TodoWrite", input);
    expect(await files.reattach("TodoWrite", input)).toMatchObject({ ok: true });
    expect(await files.reattach("TodoWrite", { todos: [todo("A", "completed")] })).toBeUndefined();
  });

  test("does not write through a link", async () => {
    await using files = await kit();
    await mkdir(dirname(files.own.plan), { recursive: true });
    await symlink(join(files.outside, "secret.txt"), files.own.plan);
    expect(await files.problem("TodoWrite", { todos: [todo("A")] })).toContain("symbolic link");
    expect((await files.again()).map(({ name }) => name)).toContain("TodoWrite");
    expect(await readFile(join(files.outside, "secret.txt"), "utf8")).toBe("top secret needle\n");
  });

  test("does not throw away a plan that is too large for it", async () => {
    await using files = await kit();
    await mkdir(dirname(files.own.plan), { recursive: true });
    await writeFile(files.own.plan, "x".repeat(2 * 1024 * 1024));
    expect(await files.problem("TodoWrite", { todos: [todo("A")] })).toContain("too large");
    expect(await readFile(files.own.plan, "utf8")).toHaveLength(2 * 1024 * 1024);
  });

  test("calls at once leave one of the lists, whole", async () => {
    await using files = await kit();
    const lists = ["A", "B", "C"].map((name) => [todo(`${name}1`), todo(`${name}2`)]);
    await Promise.all(lists.map((todos) => files.text("TodoWrite", { todos })));
    expect(lists).toContainEqual(todosIn(await readFile(files.own.plan, "utf8")));
  });
});

test("a list whose end is gone takes nothing of the plan with it", () => {
  const broken = "# Plan\n<!-- todo: begin -->\n- [ ] a\n\nMy notes.\n";
  const twice = withChecklist(withChecklist(broken, [{ content: "b", status: "pending" }]), []);
  expect(twice).toBe(`${broken}\n<!-- todo: begin -->\n<!-- todo: end -->\n`);
});

test("a list stays the list where another one behind it has no end", () => {
  const list = withChecklist("", [{ content: "a", status: "pending" }]);
  const broken = `${list}<!-- todo: begin -->\nMy notes.\n`;
  expect(todosIn(broken)).toEqual([{ content: "a", status: "pending" }]);
  expect(withChecklist(broken, [{ content: "b", status: "completed" }])).toBe(broken.replace("- [ ] a", "- [x] b"));
});

test("what is written into any plan is read back from it", () => {
  const words = fc.string({ unit: fc.constantFrom("a", "<!--", "-->", "\n", " ", "[x]", "- ", "é"), maxLength: 10 });
  const item = fc.record({ content: words.map((text) => `x${text}y`), status: fc.constantFrom(...TODO_STATUS) });
  fc.assert(
    fc.property(words, fc.array(item, { maxLength: 5 }), fc.array(item, { maxLength: 5 }), (plan, first, second) => {
      const written = withChecklist(withChecklist(plan, first), second);
      expect(todosIn(written).map(({ status }) => status)).toEqual(second.map(({ status }) => status));
      expect(written).toBe(withChecklist(written, todosIn(written)));
    }),
  );
});
