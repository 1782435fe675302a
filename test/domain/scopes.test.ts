import { posix } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intersectScopes, isInScopes, isWithin, normalizePath } from "../../src/domain/scopes.ts";
import { anyPath } from "./paths.ts";

describe("a path", () => {
  it.each([
    ["a/./b//c/../d", "a/b/d"],
    ["a/b/", "a/b"],
    ["./a", "a"],
    ["", "."],
    [".", "."],
    ["./", "."],
    ["a/..", "."],
    ["..", ".."],
    ["a/../../b", "../b"],
    ["../../a/../b", "../../b"],
    ["/", "/"],
    ["/..", "/"],
    ["/../../a", "/a"],
    ["//a//b", "/a/b"],
    ["/a/../..", "/"],
    ["...", "..."],
    ["..a/b", "..a/b"],
  ])("%j is the same as %j", (path, expected) => {
    expect(normalizePath(path)).toBe(expected);
  });

  it("is simplified as the operating system's own rules say", () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const expected = posix.normalize(path);
        const withoutSlash = expected.length > 1 && expected.endsWith("/") ? expected.slice(0, -1) : expected;
        expect(normalizePath(path)).toBe(withoutSlash);
      }),
      { numRuns: 500 },
    );
  });

  it("that is simple already stays as it is", () => {
    fc.assert(fc.property(anyPath, (path) => normalizePath(normalizePath(path)) === normalizePath(path)));
  });
});

describe("a path within a scope", () => {
  it.each([
    ["src", "src", true],
    ["src/a/b.ts", "src", true],
    ["src/a/b.ts", "./src/", true],
    ["src/../src/a", "src", true],
    ["src2", "src", false],
    ["src2/a", "src", false],
    ["sr", "src", false],
    ["src", "src/a", false],
    ["src/../lib", "src", false],
    ["lib/src", "src", false],
    ["a", ".", true],
    [".", ".", true],
    ["..", ".", false],
    ["../a", ".", false],
    ["a/../../b", ".", false],
    ["..a", ".", true],
    ["/a", ".", false],
    ["/a/b", "/a", true],
    ["/ab", "/a", false],
    ["/a/../b", "/a", false],
    ["/../a/b", "/a", true],
    ["a", "/a", false],
    ["/a", "/", true],
    ["a", "/", false],
    ["../a", "../a", false],
    ["../a", "..", false],
  ])("%j within %j: %s", (path, scope, expected) => {
    expect(isWithin(path, scope)).toBe(expected);
  });

  it("is what is put below it, however deep", () => {
    const anyNames = fc.array(fc.constantFrom("a", "b", "src", ".x"), { minLength: 1, maxLength: 4 });
    const anyScope = anyPath.filter((path) => !normalizePath(path).startsWith(".."));
    fc.assert(
      fc.property(anyScope, anyNames, (scope, names) => {
        const base = normalizePath(scope);
        expect(isWithin(`${base}/${names.join("/")}`, scope)).toBe(true);
      }),
    );
  });

  it("is in none if there is none, and in a list if it is in one of it", () => {
    expect(isInScopes("src/a", [])).toBe(false);
    expect(isInScopes("src/a", ["lib", "src"])).toBe(true);
    expect(isInScopes("docs", ["lib", "src"])).toBe(false);
  });
});

describe("two lists of scopes together", () => {
  it.each([
    [["."], ["src"], ["src"]],
    [["src"], ["src/a", "lib"], ["src/a"]],
    [["src"], ["src2"], []],
    [
      ["src", "lib"],
      ["lib", "src"],
      ["src", "lib"],
    ],
    [["./src/"], ["src"], ["src"]],
    [["src"], [], []],
    [["."], ["/srv"], []],
    [["/srv"], ["/srv/data"], ["/srv/data"]],
    [["src/../.."], ["."], []],
  ])("%j and %j leave %j", (a, b, expected) => {
    expect(intersectScopes(a, b).toSorted()).toEqual(expected.toSorted());
    expect(intersectScopes(b, a).toSorted()).toEqual(expected.toSorted());
  });

  it("hold just those paths that both hold", () => {
    const anyScopes = fc.array(anyPath, { maxLength: 3 });
    fc.assert(
      fc.property(anyScopes, anyScopes, anyPath, (a, b, path) => {
        expect(isInScopes(path, intersectScopes(a, b))).toBe(isInScopes(path, a) && isInScopes(path, b));
      }),
      { numRuns: 500 },
    );
  });
});
