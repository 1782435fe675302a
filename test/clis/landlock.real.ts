// Each CLI where there is no bubblewrap: Landlock holds its files, and it works.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { landlockConfinement } from "../../src/confinement/landlock/landlock-confinement.ts";
import { nothingConfines } from "../../src/confinement/none/nothing-confines.ts";
import { EACH } from "./each-cli.ts";
import { withCli } from "./kit.ts";

const WRITER = { permission_mode: "auto", workspace: { mode: "shared", allow_writes: true } } as const;
const held = (home: string) =>
  landlockConfinement({
    setting: "best",
    home,
    homes: [],
    programs: [process.execPath],
    why: "there is no bubblewrap",
    otherwise: nothingConfines("required"),
  });

describe.each(EACH)("$name, held by Landlock", ({ cli, model, runs }) => {
  it("runs commands in its project, and neither reads nor writes elsewhere", async () => {
    const outside = realpathSync(mkdtempSync("/var/tmp/cadre-clis-outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    writeFileSync(join(outside, "canary"), "canary-of-the-user");
    const look = `cat ${outside}/canary; echo x >${outside}/made; echo inside >made; echo done`;
    const replies = [{ calls: [runs(look)] }, { text: "looked around" }];
    await using world = await withCli(cli, replies, { model, ...WRITER }, {}, {}, held);
    const { outcome, attempts } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "looked around" });
    expect(attempts[0]?.confinement?.commands).toBe("files");
    expect(JSON.stringify(world.model.asked.at(-1)?.body)).not.toContain("canary-of-the-user");
    expect(existsSync(join(outside, "made"))).toBe(false);
    expect(readFileSync(join(world.project, "made"), "utf8")).toBe("inside\n");
  });
});
