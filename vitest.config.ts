import { defineConfig } from "vitest/config";

const report = process.env["CADRE_TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/seed.ts"],
    // These end what hangs. They say nothing of speed, and a machine may stand still for seconds.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
  },
});
