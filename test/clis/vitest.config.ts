import { defineConfig } from "vitest/config";
import { isTried } from "./programs.ts";

/** What is about one CLI alone, where that is not tried. */
const others = ["claude", "codex", "gemini"]
  .filter((name) => !isTried(name))
  .map((name) => `test/clis/${name}*.real.ts`);

export default defineConfig({
  test: {
    include: ["test/clis/*.real.ts"],
    exclude: others,
    testTimeout: 90_000,
    hookTimeout: 30_000,
    // Each program takes a core of its own for seconds.
    fileParallelism: false,
  },
});
