// Each CLI confined by the operating system: it reaches its model, by a gateway that has its key, and nothing else.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { confinementFor } from "../../src/app/confinement.ts";
import { openCadre } from "../../src/app/index.ts";
import { factsOf } from "../engine/kit.ts";
import { EACH } from "./each-cli.ts";
import { KEY, textOf, withCli } from "./kit.ts";
import { type Asked, startModel } from "./model-server.ts";
import { BIN, isTried } from "./programs.ts";

const WRITER = { permission_mode: "auto", workspace: { mode: "shared", allow_writes: true } } as const;
const confined = (home: string) =>
  confinementFor("required", { home, userHome: "/nonexistent", project: join(home, "..") }, []);

/** All that it says of its surroundings, and of what it reaches past its model. */
const LOOK = [
  "env",
  "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'",
  `${process.execPath} -e 'fetch("http://evil.example/").then((r) => console.log("reached", r.status), () => console.log("not reached"))'`,
].join("; ");

/** Every file that the attempt has left, as text. */
const filesOf = ({ project }: { readonly project: string }): string =>
  readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

describe.each(EACH)("$name, confined", ({ name, cli, model, runs }) => {
  it("works by a stand-in for its key, which is in no environment, file or log", async () => {
    const replies = [{ calls: [runs(LOOK)] }, { text: "looked around" }];
    await using world = await withCli(cli, replies, { model, ...WRITER }, {}, {}, confined);
    const { id, outcome, attempts } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "looked around" });
    expect(attempts[0]?.confinement?.commands).toBe("os");
    const said = JSON.stringify(world.model.asked.at(-1)?.body);
    expect(said).toContain("PATH=");
    expect(said).toContain("not reached");
    expect(said).not.toContain(KEY);
    const log = await world.engine.log(id);
    expect(textOf(log) + JSON.stringify(world.parts) + filesOf(world)).not.toContain(KEY);
    expect(factsOf(log, "host.refused")).toMatchObject([{ host: "evil.example", port: 80 }]);
    for (const { headers } of world.model.asked) expect(JSON.stringify(headers)).toContain(KEY);
  });

  it("has the key itself where its user wants that, and reaches the same model", async () => {
    const options = { keyGateway: false };
    await using world = await withCli(cli, [{ text: "plainly" }], { model, ...WRITER }, {}, options, confined);
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "plainly" });
    expect(JSON.stringify(world.model.asked[0]?.headers)).toContain(KEY);
    expect(name).toBe(cli.name);
  });
});

describe.each(isTried("goose") ? [{ name: "goose" }] : [])("$name, a peer, confined", () => {
  it("works by a stand-in for its key, too", async () => {
    const project = realpathSync(mkdtempSync(join(tmpdir(), "cadre-goose-")));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    const replies = [{ calls: [{ name: "shell", args: { command: LOOK } }] }, { text: "looked around" }];
    await using model = await startModel(replies, { ignoresSideCalls: true });
    const goose = { GOOSE_PROVIDER: "anthropic", GOOSE_MODEL: "claude-sonnet-4-5" };
    const path = `${BIN}:${process.env["PATH"] ?? ""}`;
    await using cadre = await openCadre({
      cwd: project,
      home: join(project, ".cadre"),
      userHome: join(project, ".cadre", "user"),
      agents: [{ name: "peer", description: "Looks around.", backend: "goose", model: "inherit", ...WRITER }],
      askable: "nobody",
      env: { PATH: path, ...goose, ANTHROPIC_API_KEY: KEY, ANTHROPIC_HOST: model.url },
    });
    const { outcome, attempts } = await cadre.run({ agent: "peer", prompt: "look around" });
    expect(outcome).toMatchObject({ status: "completed", answer: "looked around" });
    expect(attempts[0]?.confinement?.commands).toBe("os");
    const said = JSON.stringify(model.asked.map(({ body }: Asked) => body as unknown));
    expect(said).toContain("PATH=");
    expect(said).not.toContain(KEY);
    expect(filesOf({ project })).not.toContain(KEY);
    for (const { headers } of model.asked) expect(JSON.stringify(headers)).toContain(KEY);
  });
});
