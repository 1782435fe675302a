import { describe, expect, it } from "vitest";
import { findProgram } from "../../src/platform/find-program.ts";
import { custodies, eventually, fixture, namedPipe, openKeep, PATH, sh, upTimes, waitingAt } from "./kit.ts";

const all = await custodies();
const found = findProgram("bwrap", { cwd: "/", path: PATH });
const bwraps = found.ok && all.some(({ how }) => how === "bwrap") ? [found.file] : [];

describe.each(all)("a wish to a program in custody ($how)", ({ custody }) => {
  it.each(["SIGTERM", "SIGINT"] as const)("%s ends a program that has nothing against it", async (name) => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("hold.sh", pipe));
    await upTimes(1, kept.stdout);
    kept.signal(name);
    expect(await kept.exited).toEqual({ kind: "killed", signal: name });
  });

  it("lets the program end in its own way", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("hold.sh", pipe, "polite"));
    await upTimes(1, kept.stdout);
    kept.signal("SIGTERM");
    expect(await kept.exited).toEqual({ kind: "exited", code: 7 });
  });

  it("reaches a program right after it was started", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const kept = keep.spawn(sh("hold.sh", pipe));
    kept.signal("SIGTERM");
    expect(await kept.exited).toEqual({ kind: "killed", signal: "SIGTERM" });
  });

  it("reaches the program once, and all that is in its group", async () => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const script = `trap 'echo told' TERM; sh "$1" "$2" & echo ready; wait; wait; echo end`;
    const kept = keep.spawn(sh(script, fixture("hold.sh"), pipe));
    let heard = "";
    const reading = (async () => {
      for await (const chunk of kept.stdout) heard += Buffer.from(chunk).toString();
    })();
    await eventually("both are up", () => heard.includes("up") && heard.includes("ready"));
    kept.signal("SIGTERM");
    expect(await kept.exited).toEqual({ kind: "exited", code: 0 });
    await reading;
    expect(heard.split("told")).toHaveLength(2);
    expect(waitingAt(pipe)).toEqual([]);
  });

  it("does nothing to a program that has ended", async () => {
    const kept = openKeep(custody).spawn(sh("exit 4"));
    expect(await kept.exited).toEqual({ kind: "exited", code: 4 });
    kept.signal("SIGTERM");
    kept.signal("SIGINT");
  });

  it.each(bwraps)("reaches a program behind another launcher, which passes nothing on (%s)", async (bwrap) => {
    const [keep, pipe] = [openKeep(custody), namedPipe()];
    const polite = sh("hold.sh", pipe, "polite");
    const apart = ["--unshare-pid", "--die-with-parent", "--new-session", "--dev-bind", "/", "/", "--proc", "/proc"];
    for (const options of [apart, apart.filter((option) => option !== "--new-session")]) {
      const kept = keep.spawn({ ...polite, file: bwrap, args: [...options, "--", "sh", ...polite.args] });
      await upTimes(1, kept.stdout);
      kept.signal("SIGTERM");
      expect(await kept.exited).toEqual({ kind: "exited", code: 7 });
    }
  });
});
