// The text of profiles for macOS. That it holds can be found out on a Mac only.
import { describe, expect, it } from "vitest";
import { seatbeltProfile } from "../../../src/confinement/seatbelt/profile.ts";

const linesOf = (profile: string): string[] => profile.trimEnd().split("\n");
const about = (profile: string, path: string): string[] =>
  linesOf(profile).filter((line) => line.includes(`"${path}"`) && !line.startsWith("(allow file-read-metadata"));

/** As the profile's language reads it: lists of words and strings. Throws where a bracket or a string is left open. */
function parsed(text: string): unknown[] {
  const stack: unknown[][] = [[]];
  const top = () => stack.at(-1) ?? [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (/\s/.test(sign)) continue;
    if (sign === "(") stack.push([]);
    else if (sign === ")") {
      const list = stack.pop();
      if (stack.length === 0) throw new Error(`a bracket is closed that was not opened, at ${at}`);
      top().push(list);
    } else if (sign === '"') {
      let value = "";
      for (at++; text[at] !== '"'; at++) {
        if (text[at] === undefined) throw new Error("a string is left open");
        if (text[at] === "\\") at++;
        value += text[at];
      }
      top().push({ text: value });
    } else {
      const word = /^[^\s()"]+/.exec(text.slice(at))?.[0] ?? "";
      top().push(word);
      at += word.length - 1;
    }
  }
  if (stack.length !== 1) throw new Error("a bracket is left open");
  return top();
}

describe("a profile", () => {
  it("refuses everything that it does not name", () => {
    const profile = seatbeltProfile({ shown: [], ports: [] });
    expect(linesOf(profile).slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    expect(profile).not.toContain("network");
    expect(profile).not.toMatch(/\(allow default|\(allow file-read\*\)|\(allow file-write\*\)|\(allow mach-lookup\)/);
  });

  it("has no rule without a filter but for starting programs and reading the system's own numbers", () => {
    const profile = seatbeltProfile({ shown: [{ path: "/Users/ada/project", kind: "write" }], ports: [80] });
    const bare = parsed(profile).filter(
      (rule) => Array.isArray(rule) && rule.every((part) => typeof part === "string"),
    );
    expect(bare).toEqual([
      ["version", "1"],
      ["deny", "default"],
      ["allow", "process-fork", "process-exec"],
      ["allow", "sysctl-read"],
    ]);
  });

  it("lets be read what may be read, and written what may be written", () => {
    const profile = seatbeltProfile({
      shown: [
        { path: "/Users/ada/docs", kind: "read" },
        { path: "/Users/ada/project", kind: "write" },
      ],
      ports: [],
    });
    expect(about(profile, "/Users/ada/docs")).toEqual([
      '(allow file-read* (subpath "/Users/ada/docs"))',
      '(deny file-write* (subpath "/Users/ada/docs"))',
    ]);
    expect(about(profile, "/Users/ada/project")).toEqual([
      '(allow file-read* file-write* (subpath "/Users/ada/project"))',
    ]);
    expect(about(profile, "/Users/ada")).toEqual([]);
  });

  it("shows of the way to a folder only that it is there", () => {
    const profile = seatbeltProfile({ shown: [{ path: "/Users/ada/project", kind: "read" }], ports: [] });
    const way = linesOf(profile).find((line) => line.startsWith("(allow file-read-metadata "));
    expect(way).toContain('(literal "/Users/ada")');
    expect(way).toContain('(literal "/Users")');
    expect(way).not.toContain("subpath");
  });

  it("names protected files after the folder that they lie in, and keeps what is around them where it is", () => {
    const profile = seatbeltProfile({
      shown: [
        { path: "/p", kind: "write" },
        { path: "/p/sub/.npmrc", kind: "read" },
      ],
      ports: [],
    });
    const lines = linesOf(profile);
    const open = lines.indexOf('(allow file-read* file-write* (subpath "/p"))');
    const closed = lines.indexOf('(deny file-write* (subpath "/p/sub/.npmrc"))');
    expect(open).toBeGreaterThan(-1);
    expect(closed).toBeGreaterThan(open);
    expect(lines).toContain('(deny file-write-unlink (literal "/p/sub"))');
    expect(lines).toContain('(deny file-write-unlink (literal "/p"))');
    expect(lines).not.toContain('(deny file-write-unlink (literal "/"))');
  });

  it("hides a folder, and shows what lies in it and is the attempt's own", () => {
    const profile = seatbeltProfile({
      shown: [
        { path: "/p", kind: "write" },
        { path: "/p/.cadre", kind: "hidden" },
        { path: "/p/.cadre/workspace", kind: "write" },
      ],
      ports: [],
    });
    const lines = linesOf(profile);
    const hidden = lines.indexOf('(deny file-read* file-write* (subpath "/p/.cadre"))');
    expect(hidden).toBeGreaterThan(lines.indexOf('(allow file-read* file-write* (subpath "/p"))'));
    expect(lines.indexOf('(allow file-read* file-write* (subpath "/p/.cadre/workspace"))')).toBeGreaterThan(hidden);
  });

  it("opens single ports of this machine, and nothing else of the network", () => {
    const profile = seatbeltProfile({ shown: [], ports: [4711, 5432] });
    expect(linesOf(profile).filter((line) => line.includes("network"))).toEqual([
      '(allow network-outbound (remote ip "localhost:4711"))',
      '(allow network-outbound (remote ip "localhost:5432"))',
    ]);
  });

  it.each([
    ['/p/a "quoted" name'],
    ["/p/a) (allow default"],
    ['/p/x")) (allow default) ((subpath "/'],
    ["/p/back\\slash"],
    ['/p/ends with \\"'],
    ["/p/semi;colon #|comment|#"],
    ["/p/ümläut 文件"],
  ])("a path stays one string, whatever it is called: %s", (path) => {
    const plain = parsed(seatbeltProfile({ shown: [{ path: "/p/plain", kind: "write" }], ports: [] }));
    const rules = parsed(seatbeltProfile({ shown: [{ path, kind: "write" }], ports: [] }));
    expect(rules).toHaveLength(plain.length);
    expect(rules.at(-1)).toEqual(["allow", "file-read*", "file-write*", ["subpath", { text: path }]]);
  });

  it.each(["/p/new\nline", "/p/nul\0", "/p/\u001b[31m", "/p/\u0085"])(
    "a path that nobody can see whole is refused",
    (path) => {
      expect(() => seatbeltProfile({ shown: [{ path, kind: "read" }], ports: [] })).toThrow(/control characters/);
    },
  );
});
