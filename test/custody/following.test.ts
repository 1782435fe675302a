// Programs that follow each other closely: from the third on, each finds a namespace that was made ahead.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { brandId } from "../../src/schema/index.ts";
import type { Command, Custody, Kept } from "../../src/ports/index.ts";
import { custodies, eventually, openKeep, PATH, temporaryFolder, textOf } from "./kit.ts";

const FOLLOWING = fileURLToPath(new URL("fixtures/following.ts", import.meta.url));

const namespaces = (await custodies()).filter(({ how }) => how !== "tracked");

/** Two programs ahead, so that one is ready for whatever comes now. */
async function warmedUp(custody: Custody): Promise<(command: Partial<Command>) => Kept> {
  const keep = openKeep(custody);
  const spawnIt = (command: Partial<Command>) => {
    const kept = keep.spawn({ file: "true", args: [], cwd: "/", env: { PATH }, ...command });
    kept.endInput();
    return kept;
  };
  for (let n = 0; n < 2; n++) await spawnIt({}).exited;
  return spawnIt;
}

/** Those that carry the marker of this worker. */
function processesOf(worker: string): string[] {
  const start = `CADRE_KEEP=work_${worker}:`;
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && environment(name).includes(start));
}

function environment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

describe.each(namespaces)("a program that follows others ($how)", ({ custody }) => {
  it("is alone with its init, whatever those before it left behind", async () => {
    const spawnIt = await warmedUp(custody);
    const list = 'for f in /proc/[0-9]*; do echo "${f##*/}"; done; echo "me $$"; sleep 60 >/dev/null 2>&1 &';
    for (let n = 0; n < 6; n++) {
      const said = await textOf(spawnIt({ file: "sh", args: ["-c", list] }).stdout);
      expect(said.split("\n")).toEqual(["1", "2", "me 2", ""]);
    }
  });

  it("gets its words, its folder and its environment to the letter", async () => {
    const spawnIt = await warmedUp(custody);
    let letters = "";
    for (let code = 1; code < 0x250; code++) letters += String.fromCodePoint(code);
    const folder = join(temporaryFolder(), 'it\'s\na "$HOME" `x`');
    mkdirSync(folder);
    const odd = ["", "-n", "a b", "'", '"', "\\", "$HOME", "`id`", "$(id)", "* ?", "x\n\ny\n", "!", "é 漢 🙂", letters];
    const env = { PATH, SOME_TEXT: `two\nlines, 'quoted' "${letters}`, LANG: "C.UTF-8", CADRE_TOKEN: "secret" };
    const said = async (file: string, args: string[]) => await textOf(spawnIt({ file, args, cwd: folder, env }).stdout);
    expect((await said("printf", ["%s\\0", ...odd])).split("\0").slice(0, -1)).toEqual(odd);
    expect((await said("env", ["-0"])).split("\0").slice(0, -1).toSorted()).toEqual(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    );
    expect(await said("readlink", ["-n", "/proc/self/cwd"])).toBe(folder);
  });

  it("has nothing of its environment where others could read it", async () => {
    const spawnIt = await warmedUp(custody);
    const env = { PATH, CADRE_TOKEN: "very-secret" };
    const shown = await textOf(spawnIt({ file: "cat", args: ["/proc/1/cmdline", "/proc/1/environ"], env }).stdout);
    expect(shown).toContain("CADRE_KEEP=");
    expect(shown).not.toContain("very-secret");
  });

  it("gets its input, and nothing that was meant for its launcher", async () => {
    const keep = openKeep(custody);
    const plain = execFileSync("sh", ["-c", "ls /proc/self/fd"], { encoding: "utf8" });
    for (let n = 0; n < 4; n++) {
      const kept = keep.spawn({ file: "sh", args: ["-c", "cat; ls /proc/self/fd"], cwd: "/", env: { PATH } });
      await kept.write("one\ntwo\n");
      kept.endInput();
      expect(await textOf(kept.stdout)).toBe(`one\ntwo\n${plain}`);
      expect(await textOf(kept.stderr)).toBe("");
    }
  });

  it("says itself how it ended, and nobody adds a word", async () => {
    const spawnIt = await warmedUp(custody);
    const ended = async (script: string) => {
      const kept = spawnIt({ file: "sh", args: ["-c", script] });
      return { exited: await kept.exited, stderr: await textOf(kept.stderr) };
    };
    expect(await ended("exit 3")).toEqual({ exited: { kind: "exited", code: 3 }, stderr: "" });
    expect(await ended("kill -TERM $$")).toEqual({ exited: { kind: "killed", signal: "SIGTERM" }, stderr: "" });
    expect(await ended("kill -KILL $$")).toEqual({ exited: { kind: "killed", signal: "SIGKILL" }, stderr: "" });
    expect(await ended("echo oh >&2; exit 1")).toEqual({ exited: { kind: "exited", code: 1 }, stderr: "oh\n" });
  });

  it("hears a wish, and so does all that is in its group", async () => {
    const spawnIt = await warmedUp(custody);
    const script =
      "trap 'echo child; exit 0' TERM; (trap 'echo grandchild; exit 0' TERM; while :; do sleep 0.01; done) & echo up; wait; wait";
    const kept = spawnIt({ file: "sh", args: ["-c", script] });
    let heard = "";
    for await (const chunk of kept.stdout) {
      if (heard === "") kept.signal("SIGTERM");
      heard += Buffer.from(chunk).toString();
    }
    expect(heard).toContain("child");
    expect((await kept.exited).kind).toBe("exited");
  });
});

describe.each(namespaces)("a namespace that nobody came to need ($how)", ({ how, custody }) => {
  it("does not keep its worker from ending, and ends with it", async () => {
    const name = `ends-${how}-${process.pid}`;
    const worker = spawn(process.execPath, [FOLLOWING, how, name, "end"], { stdio: ["ignore", "ignore", "inherit"] });
    onTestFinished(() => void worker.kill("SIGKILL"));
    expect(await once(worker, "exit")).toEqual([0, null]);
    await eventually("nothing carries its marker", () => processesOf(name).length === 0);
  }, 20_000);

  it("ends with a worker that is killed", async () => {
    const name = `killed-${how}-${process.pid}`;
    const worker = spawn(process.execPath, [FOLLOWING, how, name, "stay"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void worker.kill("SIGKILL"));
    await once(worker.stdout, "data");
    await eventually("one is there", () => processesOf(name).length > 0);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    await eventually("nothing carries its marker", () => processesOf(name).length === 0);
    expect(await custody.sweep(brandId("work", name))).toBe(0);
  }, 20_000);

  it("is found by the sweep, where its worker could not take it along", async () => {
    const name = `swept-${how}-${process.pid}`;
    const worker = spawn(process.execPath, [FOLLOWING, how, name, "stay"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void worker.kill("SIGKILL"));
    await once(worker.stdout, "data");
    await eventually("one is there", () => processesOf(name).length > 0);
    worker.kill("SIGSTOP"); // neither dead nor able to do anything
    expect(await custody.sweep(brandId("work", name))).toBeGreaterThan(0);
    expect(processesOf(name)).toEqual([]);
  }, 20_000);
});
