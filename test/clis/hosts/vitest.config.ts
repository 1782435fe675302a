import { defineConfig } from "vitest/config";
import { HOSTS } from "./hosts.ts";

const tried = process.env["CADRE_HOSTS"]?.split(",");

export default defineConfig({
  test: {
    include: ["test/clis/hosts/*.real.ts"],
    exclude: HOSTS.filter((host) => tried?.includes(host) === false).map((host) => `test/clis/hosts/${host}.real.ts`),
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // Hosts mostly wait, each for itself.
    maxWorkers: HOSTS.length,
  },
});
