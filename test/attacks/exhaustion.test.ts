// Too much of everything: output, nesting, references, patterns that never end.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attack, bash, type Call, FREE, openAt, scene } from "./kit.ts";

const LIMIT = { timeout: 120_000 };
const MEGABYTE = 1024;

test("case 23: a line of a gigabyte, and one without an end, are cut, and not held", LIMIT, async () => {
  const before = process.resourceUsage().maxRSS;
  const { went, task } = await attack(scene(), FREE, [
    bash("head -c 1000000000 /dev/zero | tr '\\0' x"),
    { call: "Bash", input: { command: "yes | tr -d '\\n'", timeout: 1_000 } },
    bash("echo still there"),
  ]);
  expect(task.status).toBe("completed");
  expect(went.map(({ how }) => how)).toEqual(["done", "failed", "done"]);
  for (const { text } of went) expect(text.length).toBeLessThan(200_000);
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(300 * MEGABYTE);
});

const laughs = (): string => {
  const rows = Array.from(
    { length: 12 },
    (_, row) =>
      `x${row}: &x${row} [${Array(10)
        .fill(row === 0 ? "lol" : `*x${row - 1}`)
        .join(", ")}]`,
  );
  return rows.join("\n");
};

const HOSTILE: Readonly<Record<string, string>> = {
  laughs: `name: laughs\ndescription: d\nx-a: { ${laughs().replaceAll("\n", ", ")} }\n`,
  tag: `name: tag\ndescription: !!js/function "function () { require('node:fs').writeFileSync('owned', '') }"\n`,
  own: "name: own\ndescription: !exec [touch, owned]\n",
  twice: "name: twice\ndescription: a\ndescription: b\n",
  merge: "base: &a { permission_mode: auto }\nname: merge\ndescription: d\n<<: *a\n",
  deep: `name: deep\ndescription: d\nx-a: ${"[".repeat(5_000)}${"]".repeat(5_000)}\n`,
  proto:
    'name: proto\ndescription: d\n"__proto__": { polluted: yes, permission_mode: auto }\nconstructor: { prototype: { polluted: yes } }\n',
  pattern:
    'name: pattern\ndescription: d\ntape: [{ answer: x }]\noutput: { schema: { type: string, pattern: "^(?=(a+)+$).*(a|a)*\\\\1$" } }\n',
  huge: `name: huge\ndescription: d\nprompt: "${"x".repeat(2_000_000)}"\n`,
};

test("case 24: hostile agent files are problems at their place, and nothing else", LIMIT, async () => {
  const files = Object.fromEntries(Object.entries(HOSTILE).map(([name, text]) => [`.cadre/agents/${name}.yml`, text]));
  const script = "---js\n{ name: require('node:fs').writeFileSync('owned', ''), description: 'd' }\n---\n";
  const good = "---\nname: good\ndescription: d\ntape: [{ answer: fine }]\n---\n";
  const where = scene({ ...files, ".cadre/agents/script.md": script, ".cadre/agents/good.md": good });
  const cadre = await openAt(where, { trusted: [where.project] });
  const { agents, problems } = await cadre.call("agent.list", {});
  const names = agents.map(({ definition }) => definition.name);
  expect([...Object.keys(HOSTILE), "script"].filter((name) => names.includes(name))).toEqual([]);
  for (const name of [...Object.keys(HOSTILE), "script"]) expect(JSON.stringify(problems)).toContain(`agents/${name}.`);
  expect((await cadre.run({ agent: "good", prompt: "go" })).outcome).toMatchObject({ answer: "fine" });
  expect(({} as Record<string, unknown>)["polluted"]).toBe(undefined);
  expect(existsSync(join(where.project, "owned"))).toBe(false);
});

test("case 24: patterns that take for ever elsewhere are searched with, and end", LIMIT, async () => {
  const where = scene({ "a.txt": `${"a".repeat(50_000)}!\n`, [`${"a".repeat(200)}b`]: "x" });
  const grep = (pattern: string): Call => ({ call: "Grep", input: { pattern, path: "." } });
  const glob = (pattern: string): Call => ({ call: "Glob", input: { pattern } });
  const rule = `Read(${"*a".repeat(40)}c)`;
  const { went } = await attack(where, { ...FREE, tools: { mode: "denylist", deny: [rule] } }, [
    grep("^(a+)+$"),
    grep("(a|aa)+$"),
    grep("(.*a){25}b$"),
    glob(`${"*a".repeat(40)}c`),
    glob(`${"**/".repeat(40)}x`),
    { call: "Read", input: { file_path: `${"a".repeat(200)}b` } },
  ]);
  expect(went.slice(0, 5).filter(({ how }) => how === "refused")).toEqual([]);
  expect(went[5]?.how).toBe("done");
});
