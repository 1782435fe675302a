import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/clis/*.real.ts"],
    testTimeout: 90_000,
    hookTimeout: 30_000,
    // Each program takes a core of its own for seconds.
    fileParallelism: false,
  },
});
