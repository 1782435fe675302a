import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, place, type Place } from "./command-line.ts";

const REVIEWER = "---\nname: reviewing\ndescription: Reviews code\ntools: Read, Grep\ncolor: blue\n---\nReview it.\n";
const CLAUDE = { ".claude/agents/reviewing.md": REVIEWER };
const OURS = ".cadre/agents/reviewing.yml";

/** Somebody who has said in their own file that a person's decisions need no terminal. */
async function placeOfPerson(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const where = await place(files);
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security:\n  person_without_terminal: true\n");
  return where;
}

const textOf = ({ project }: Place, path: string): string => readFileSync(join(project, path), "utf8");

interface Data {
  readonly agents: readonly { readonly definition: { readonly name: string; readonly source?: object } }[];
}

const dataOf = (stdout: string): Data => (JSON.parse(stdout) as { data: Data }).data;

describe("cadre agents list", () => {
  test("says of each agent where it comes from", async () => {
    const where = await place({ ...CLAUDE, ".cadre/agents/own.md": agentFile("own", "  - answer: x") });
    const { stdout, exit } = await cadre(where, "agents", "list");
    expect(stdout).toMatch(/^own +\(native cadre\) +own for tests$/m);
    expect(stdout).toMatch(/^reviewing +\(from: claude, \.claude\/agents\/reviewing\.md\) +Reviews code$/m);
    expect(stdout).toMatch(/^Explore +\(built in\) /m);
    expect(exit).toBe(0);
    expect((await cadre(where, "agents")).stdout).toBe(stdout);
  });

  test("marks what is not trusted, and shows no control characters", async () => {
    const where = await place(
      { ".cadre/agents/own.md": '---\ndescription: "a\\x1b[2Jb"\n---\nx\n' },
      { trusted: false },
    );
    const { stdout } = await cadre(where, "agents");
    expect(stdout).toMatch(/^own +not trusted +\(native cadre\) +a\\u001b\[2Jb$/m);
  });

  test("with --json, everything", async () => {
    const { stdout } = await cadre(await place(CLAUDE), "agents", "list", "--json");
    const { agents } = dataOf(stdout);
    expect(agents.find(({ definition }) => definition.name === "reviewing")?.definition.source).toMatchObject({
      from: "claude",
    });
  });
});

describe("cadre agents show", () => {
  test("says what it may do, what it takes and what it is told", async () => {
    const own =
      "---\ndescription: Looks\ntools: [Read, 'Bash(git diff *)']\ninputs: [{ name: target, required: true }]\n---\nLook at ${target}.\n";
    const { stdout, exit } = await cadre(await place({ ".cadre/agents/own.md": own }), "agents", "show", "own");
    expect(stdout).toContain("own (native cadre)\nLooks\nfile: .cadre/agents/own.md\n");
    expect(stdout).toContain("  tools: Read, Bash(git diff *)\n");
    expect(stdout).toContain(
      "  reads files: without asking\n  writes files: not at all\n  runs commands: after asking\n",
    );
    expect(stdout).toContain('"required": [\n    "target"\n  ]');
    expect(stdout).toContain("Prompt\nLook at ${target}.\n");
    expect(exit).toBe(0);
  });

  test("says what its reader had to say", async () => {
    const where = await place({ ".claude/agents/a.md": "---\nname: a\ndescription: Sees: all\n---\nx\n" });
    expect((await cadre(where, "agents", "show", "a")).stdout).toContain(
      "What its reader had to say\n  repaired: description",
    );
  });

  test.each([
    [["agents", "show", "explor"], 'Did you mean "Explore"?'],
    [["agents", "show"], "this needs the name of an agent"],
    [["agents", "improt"], "hint: See: cadre agents --help"],
  ])("cadre %j is refused", async (args, says) => {
    const { stderr, exit } = await cadre(await place(), ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });
});

describe("an agent that the settings disable", () => {
  test("is not in the list, which says who did it and what enables it; nor can it be shown, run or exported", async () => {
    const where = await place({ ".cadre/config.yml": "agents:\n  explore: { enabled: false }\n" });
    const listed = await cadre(where, "agents", "list");
    expect(listed.stdout).not.toMatch(/^Explore\b/m);
    expect(listed.stderr).toMatch(
      /"Explore" is disabled by the project's settings \(.*config\.yml:2:3\)\. To enable it/,
    );
    for (const args of [
      ["run", "Explore", "look"],
      ["agents", "show", "Explore"],
      ["agents", "export", "Explore", "--to", "claude"],
    ]) {
      const { stderr, exit } = await cadre(where, ...args);
      expect(stderr).toMatch(/the agent "Explore" is disabled by the project's settings \(.*config\.yml:2:3\)/);
      expect(exit).toBe(4);
    }
    const { stdout, stderr, exit } = await cadre(where, "agents", "check");
    expect(stderr).toContain('"Explore" is disabled by');
    expect(stdout).toContain(", 0 problems");
    expect(exit).toBe(0);
  });
});

describe("cadre agents check", () => {
  test("is silent about what is right, and exits with 1 for what is wrong", async () => {
    const where = await place({ ".cadre/agents/own.md": "---\ndescription: Looks\ntools: [Reed]\n---\nLook.\n" });
    const { stdout, exit } = await cadre(where, "agents", "check");
    expect(stdout).toMatch(/^\.cadre\/agents\/own\.md:3:9: there is no tool called "Reed"; did you mean "Read"\?$/m);
    expect(stdout).toMatch(/^\d+ agents checked, 1 problem$/m);
    expect(exit).toBe(1);
    expect((await cadre(await place(CLAUDE), "agents", "check")).exit).toBe(0);
  });

  test("warns of a key that the program does not know; with --strict that counts", async () => {
    const where = await place({ ".gemini/agents/a.md": "---\nname: a\ndescription: Looks\nbogus: 3\n---\nLook.\n" });
    for (const path of [[], [".gemini/agents/a.md"]]) {
      const lenient = await cadre(where, "agents", "check", ...path);
      expect(lenient.stdout).toMatch(/^\.gemini\/agents\/a\.md: warning: a: unknown key "bogus"$/m);
      expect(lenient.stdout).toMatch(/^\d+ agents? checked, 0 problems, 1 warning$/m);
      expect(lenient.exit).toBe(0);
      const strict = await cadre(where, "agents", "check", "--strict", ...path);
      expect(strict).toMatchObject({ stdout: lenient.stdout, exit: 1 });
    }
    expect((await cadre(where, "agents", "list")).stderr).not.toContain("bogus");
    expect((await cadre(await place(CLAUDE), "agents", "check", "--strict")).exit).toBe(0);
  });

  test("looks at one file, for agents too, but for them only in the project", async () => {
    const where = await place({ "drafts/a.md": "---\ndescripton: Looks\n---\nLook.\n" });
    const { stdout, exit } = await cadre(where, "agents", "check", "drafts/a.md", "--json");
    expect(dataOf(stdout)).toMatchObject({ findings: [{ kind: "problem", source: "drafts/a.md:2:1" }] });
    expect(exit).toBe(1);
    const outside = await cadre(where, "agents", "check", where.userHome);
    expect(outside.stderr).toContain("is outside of the project");
    expect(outside.exit).toBe(2);
  });
});

describe("cadre agents new", () => {
  test("writes a file that passes, and does not write it twice", async () => {
    const where = await placeOfPerson();
    const first = await cadre(where, "agents", "new", "helper", "--from", "Helps: everybody");
    expect(first).toMatchObject({ stdout: ".cadre/agents/helper.md\n", exit: 0 });
    expect(textOf(where, ".cadre/agents/helper.md")).toContain('description: "Helps: everybody"');
    expect((await cadre(where, "agents", "check")).exit).toBe(0);
    const second = await cadre(where, "agents", "new", "helper");
    expect(second.stderr).toContain("there is an agent of that name: .cadre/agents/helper.md");
    expect(second.exit).toBe(2);
  });
});

describe("cadre agents import", () => {
  test("writes, says what became of everything, and changes nothing the second time", async () => {
    const where = await placeOfPerson(CLAUDE);
    const { stdout, exit } = await cadre(where, "agents", "import", "--from", "claude");
    expect(stdout).toContain(
      `reviewing: written to ${OURS} (from: claude, .claude/agents/reviewing.md)\n  kept      color: `,
    );
    expect(exit).toBe(0);
    const before = textOf(where, OURS);
    const again = await cadre(where, "agents", "import", "--from", "claude");
    expect(again.stdout).toContain(`reviewing: unchanged: ${OURS}`);
    expect(textOf(where, OURS)).toBe(before);
    expect((await cadre(where, "agents", "list")).stdout).toMatch(
      /^reviewing .*\(from: claude, \.claude\/agents\/reviewing\.md\)/m,
    );
    expect(textOf(where, ".claude/agents/reviewing.md")).toBe(REVIEWER);
  });

  test("refuses to overwrite local changes without --update", async () => {
    const where = await placeOfPerson(CLAUDE);
    await cadre(where, "agents", "import", "--file", ".claude/agents/reviewing.md");
    const edited = textOf(where, OURS).replace("Review it.", "Review nothing.");
    writeFileSync(join(where.project, OURS), edited);
    const refused = await cadre(where, "agents", "import", "--from", "claude");
    expect(refused.stdout).toContain(
      "reviewing: refused: it was changed here since it was imported; --update overwrites it",
    );
    expect(refused.exit).toBe(1);
    expect(textOf(where, OURS)).toBe(edited);
    expect((await cadre(where, "agents", "import", "--from", "claude", "--update")).exit).toBe(0);
    expect(textOf(where, OURS)).toContain("Review it.");
  });

  test("with --dry writes nothing, and exits as it would", async () => {
    const where = await placeOfPerson({ ...CLAUDE, ".claude/agents/broken.md": "---\nname: broken\n---\nx\n" });
    const { stdout, exit } = await cadre(where, "agents", "import", "--from", "claude", "--dry");
    expect(stdout).toContain(`reviewing: would be written to ${OURS}`);
    expect(stdout).toContain(".claude/agents/broken.md: would fail: broken: it has no description");
    expect(exit).toBe(1);
    expect(existsSync(join(where.project, OURS))).toBe(false);
  });

  test("is a person's, and needs to know whose agents", async () => {
    const denied = await cadre(await place(CLAUDE), "agents", "import", "--from", "claude");
    expect(denied.stderr).toContain("is a person's to decide");
    expect(denied.exit).toBe(4);
    const lost = await cadre(await placeOfPerson(), "agents", "import");
    expect(lost.stderr).toContain("this needs a program or a file");
    expect(lost.exit).toBe(2);
  });
});

describe("cadre agents export", () => {
  const BOUND = { ".cadre/agents/bound.md": "---\ndescription: Reads\ntools: [Read]\nmax_turns: 3\n---\nRead it.\n" };

  test("prints one agent, and says on stderr what is lost", async () => {
    const { stdout, stderr, exit } = await cadre(
      await placeOfPerson(BOUND),
      "agents",
      "export",
      "bound",
      "--to",
      "gemini",
    );
    expect(stdout).toMatch(/^---\nname: bound\n[^]*max_turns: 3\n---\n\nRead it\.\n$/);
    expect(stderr).toContain("bound: shown, as bound.md (to: gemini)");
    expect(exit).toBe(0);
  });

  test("gives back what was imported, byte for byte", async () => {
    const where = await placeOfPerson(CLAUDE);
    await cadre(where, "agents", "import", "--from", "claude");
    const { stdout } = await cadre(where, "agents", "export", "reviewing", "--to", "claude");
    expect(stdout).toBe(REVIEWER);
  });

  test("fails closed: without --allow-loss nothing that restricts is lost, and nothing is printed", async () => {
    const where = await placeOfPerson(BOUND);
    const { stdout, stderr, exit } = await cadre(where, "agents", "export", "bound", "--to", "copilot");
    expect(stdout).toBe("");
    expect(stderr).toContain(
      "GitHub Copilot cannot keep what restricts it (max_turns); --allow-loss writes it all the same",
    );
    expect(stderr).toMatch(/^ {2}lost +max_turns: .* \(a restriction\)$/m);
    expect(exit).toBe(1);
    const allowed = await cadre(where, "agents", "export", "bound", "--to", "copilot", "--allow-loss");
    expect(allowed.stdout).toContain("Read it.");
    expect(allowed.exit).toBe(0);
  });

  test("writes all into the home, or where it is told to", async () => {
    const where = await placeOfPerson(BOUND);
    const all = await cadre(where, "agents", "export", "--all", "--to", "claude");
    expect(all.stdout).toContain("bound: written to .cadre/export/claude/bound.md (to: claude)");
    await cadre(where, "agents", "export", "bound", "--to", "claude", "--out", ".claude/agents");
    expect(textOf(where, ".claude/agents/bound.md")).toBe(textOf(where, ".cadre/export/claude/bound.md"));
  });

  test.each([
    [["agents", "export", "bound"], "this needs a program"],
    [["agents", "export", "bound", "--to", "cluade"], "There are: gencode, claude"],
    [["agents", "export", "--to", "claude"], "this needs the names of agents, or --all"],
  ])("cadre %j is refused", async (args, says) => {
    const { stderr, exit } = await cadre(await placeOfPerson(BOUND), ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });
});

test("what writes no file needs no terminal", { timeout: 30_000 }, async () => {
  const where = await place(CLAUDE);
  expect(await cadre(where, "agents", "import", "--from", "claude", "--dry")).toMatchObject({ exit: 0 });
  expect((await cadre(where, "agents", "export", "reviewing", "--to", "claude")).stdout).toContain("name: reviewing");
  const refused = { exit: 4, stderr: expect.stringContaining("person") };
  expect(await cadre(where, "agents", "import", "--from", "claude")).toMatchObject(refused);
  expect(await cadre(where, "agents", "import", "--file", "/etc/hosts", "--dry")).toMatchObject(refused);
  expect(await cadre(where, "agents", "export", "--all", "--to", "claude")).toMatchObject(refused);
  expect(existsSync(join(where.project, OURS))).toBe(false);
});
