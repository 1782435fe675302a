import { defineConfig } from "vitest/config";

const report = process.env["CADRE_TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 10_000,
    hookTimeout: 10_000,
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
  },
});
