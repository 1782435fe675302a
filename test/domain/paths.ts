import * as fc from "fast-check";

/** Paths of few names and many detours, so that two of them meet often. */
export const anyPath = fc
  .tuple(
    fc.constantFrom("", "/"),
    fc.array(fc.constantFrom("src", "src2", "lib", "a.ts", ".", "..", ""), { maxLength: 5 }),
  )
  .map(([start, parts]) => start + parts.join("/"));
