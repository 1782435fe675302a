import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, place, type Place } from "./command-line.ts";

const FILES = {
  ".cadre/agents/talker.md": agentFile("talker", '  - answer: "It is\\u001b[2J done."'),
  ".cadre/agents/asker.md": agentFile("asker", "  - ask: May I go on?\n  - answer: I went on."),
};
const POLL = { timeout: 20_000, interval: 200 };

async function person(): Promise<Place> {
  const where = await place(FILES);
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security: { person_without_terminal: true }\n");
  return where;
}

interface Item {
  readonly id: string;
  readonly kind: string;
  readonly task: string;
  readonly session: string;
  readonly read: { by: string } | null;
  readonly approval: string | null;
}

const items = async (where: Place, ...args: readonly string[]): Promise<Item[]> =>
  (JSON.parse((await cadre(where, "inbox", "list", ...args, "--json")).stdout) as { data: { items: Item[] } }).data
    .items;

const kinds = async (where: Place, ...args: readonly string[]) => (await items(where, ...args)).map(({ kind }) => kind);

describe("cadre inbox", () => {
  test("has what ended in the background, with its transcript, until it was read", { timeout: 60_000 }, async () => {
    const where = await person();
    await cadre(where, "run", "--background", "talker", "go");
    await expect.poll(() => kinds(where), POLL).toEqual(["ended"]);
    const [item] = await items(where);
    const shown = await cadre(where, "inbox");
    expect(shown.stdout).toContain(`new ${item?.id}  ended completed  talker  ${item?.task}`);
    expect(shown.stdout).toContain("It is\\u001b[2J done.");
    expect(shown.stdout).toContain(join(".cadre", "sessions", `${item?.session}.json`));
    expect(await cadre(where, "inbox", "read", item?.id ?? "")).toMatchObject({
      exit: 0,
      stdout: "1 marked as read\n",
    });
    expect((await cadre(where, "inbox")).stdout).toBe("Nothing waits for you.\n");
    expect(await items(where, "--all")).toMatchObject([{ id: item?.id, read: { by: expect.any(String) } }]);
  });

  test("has nothing new of what was run and shown just now", { timeout: 60_000 }, async () => {
    const where = await place(FILES);
    await cadre(where, "run", "talker", "go");
    expect(await items(where, "--unread")).toEqual([]);
    expect(await items(where, "--all")).toMatchObject([{ kind: "ended", read: { by: expect.any(String) } }]);
  });

  test("keeps a question until it is answered: having read it is no answer", { timeout: 60_000 }, async () => {
    const where = await person();
    await cadre(where, "run", "--background", "asker", "go");
    await expect.poll(() => kinds(where), POLL).toEqual(["question"]);
    expect((await cadre(where, "inbox", "read", "--all")).stdout).toBe("1 marked as read\n");
    const [item] = await items(where);
    expect((await cadre(where, "inbox")).stdout).toContain(`cadre inbox answer ${item?.approval} --say`);
    expect(await items(where, "--unread")).toEqual([]);
    const answered = await cadre(where, "inbox", "answer", item?.approval ?? "", "--say", "yes");
    expect(answered).toMatchObject({ exit: 0, stdout: `answered; ${item?.task} goes on\n` });
    await expect.poll(() => kinds(where), POLL).toEqual(["ended"]);
  });

  test("a question is answered by its item as well", { timeout: 60_000 }, async () => {
    const where = await person();
    await cadre(where, "run", "--background", "asker", "go");
    await expect.poll(() => kinds(where), POLL).toEqual(["question"]);
    const [item] = await items(where);
    const answered = await cadre(where, "inbox", item?.id ?? "", "--say", "yes");
    expect(answered).toMatchObject({ exit: 0, stdout: `answered; ${item?.task} goes on\n` });
  });

  test("an approval alone is answered too, as a person's", async () => {
    const where = await place(FILES);
    expect(await cadre(where, "inbox", "appr_x", "--allow")).toMatchObject({ exit: 4 });
  });

  test.each([
    [["read"], "say what you have read"],
    [["read", "item_1", "--all"], "say what you have read"],
    [["read", "item_404"], 'there is no item "item_404"'],
    [["read", "appr_1"], "item"],
    [["list", "--all", "--unread"], "exclude each other"],
    [["answer"], "say what you answer"],
    [["answer", "appr_1"], "say how to answer"],
    [["answer", "item_404", "--allow"], "item_404 waits for no answer"],
    [["forget"], "hint: See: cadre inbox --help"],
  ])("cadre inbox %j is refused", async (args, says) => {
    const { stderr, exit, stdout } = await cadre(await person(), "inbox", ...args);
    expect(stderr).toContain(says);
    expect([exit, stdout]).toEqual([2, ""]);
  });
});
