// What runs in a tree of its own changes nothing of the project, whoever tries.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import type { CadreOptions } from "../../src/app/index.ts";
import { repository, type TestProject } from "./kit.ts";

type Agents = NonNullable<CadreOptions["agents"]>;

const open = ({ home, userHome }: TestProject, agents: Agents) =>
  openCadre({ home, userHome, cwd: userHome, env: { PATH: process.env["PATH"] }, agents });

const WRITER = { description: "writes", permission_mode: "acceptEdits", capabilities: ["primary", "subtask"] } as const;
const writer = (name: string, more: Omit<Agents[number], "name" | "description">): Agents[number] => ({
  ...WRITER,
  capabilities: ["primary", "subtask"],
  name,
  ...more,
});

test("a call that names a file of the project itself is refused", async () => {
  const place = repository();
  const sneak = writer("sneak", {
    workspace: { mode: "worktree" },
    tape: [
      { write: join(place.project, "a.txt"), content: "overwritten" },
      { write: "b.txt", content: "b\n" },
      { answer: "tried" },
    ],
  });
  await using cadre = await open(place, [sneak]);
  const task = await cadre.run({ agent: "sneak", prompt: "go" });
  expect(task).toMatchObject({ calls: { made: 1, refused: 1 }, kept: { files: 1, branch: "cadre/sneak-1" } });
  expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("one\n");
  expect(existsSync(join(place.project, "b.txt"))).toBe(false);
});

test("a child that shares writes into the tree of its parent", async () => {
  const place = repository();
  const lead = writer("lead", {
    workspace: { mode: "worktree" },
    tools: ["Task(helper)", "Write"],
    tape: [{ delegate: "helper", prompt: "help" }, { write: "lead.txt", content: "lead\n" }, { answer: "done" }],
  });
  const helper = writer("helper", {
    workspace: { allow_writes: true },
    tape: [{ write: "helper.txt", content: "helper\n" }, { answer: "helped" }],
  });
  await using cadre = await open(place, [lead, helper]);
  const task = await cadre.run({ agent: "lead", prompt: "go" });
  expect(task.kept).toMatchObject({ files: 2, branch: "cadre/lead-1" });
  expect(existsSync(join(place.project, "helper.txt"))).toBe(false);
  const [child] = task.children;
  expect(child).toBeDefined();
  expect(await cadre.call("workspace.merge", { task: task.id })).toMatchObject({ kind: "merged" });
  expect(readFileSync(join(place.project, "helper.txt"), "utf8")).toBe("helper\n");
  expect(readFileSync(join(place.project, "lead.txt"), "utf8")).toBe("lead\n");
});

test("a program sees the history, and where it is confined can change neither that nor the project", async () => {
  const place = repository();
  const script = `
    git log --format=%s > log.txt
    echo x > "${place.project}/a.txt"
    echo '[core]' >> "${place.project}/.git/config"
    echo '#!/bin/sh' > "${place.project}/.git/hooks/post-merge"
    git -c user.name=x -c user.email=x@x commit --allow-empty -m sneaked
    echo done`;
  const program = writer("program", {
    permission_mode: "auto",
    workspace: { mode: "worktree" },
    command: ["sh", "-c", script],
  });
  const before = readFileSync(join(place.project, ".git/config"), "utf8");
  await using cadre = await open(place, [program]);
  const task = await cadre.run({ agent: "program", prompt: "go" });
  expect(task.status).toBe("completed");
  if (task.attempts[0]?.confinement?.commands !== "os") {
    if (process.env["CI"] !== undefined) throw new Error("bubblewrap is needed on CI");
    console.warn("Not confined here: that the project stays as it is was not tried.");
    return;
  }
  expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("one\n");
  expect(readFileSync(join(place.project, ".git/config"), "utf8")).toBe(before);
  expect(existsSync(join(place.project, ".git/hooks/post-merge"))).toBe(false);
  expect(readFileSync(join(task.kept?.root ?? "", "log.txt"), "utf8")).toBe("first\n");
  expect(place.git("log", "--format=%s", "cadre/program-1")).not.toContain("sneaked");
});
