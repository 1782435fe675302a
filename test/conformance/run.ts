// npm run test:conformance: the protocol's own suite against our server, of both eras, and its inspector against the
// command. `server`, `inspector` and `client` run some of it; without them it is the first two. The last line is the total.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import * as z from "zod";
import { EXPECTED_FAILURES } from "./expected-failures.ts";
import { openFixture } from "./fixture.ts";
import { inspect } from "./inspector.ts";
import { type Leg, PROGRAMS, run, runLeg } from "./suite.ts";

const LEG_MS = 300_000;
const INSTALL_MS = 300_000;
const here = fileURLToPath(new URL(".", import.meta.url));
const SUITE = "@modelcontextprotocol/conformance";

const serverLegs = (url: string): Leg[] => [
  { name: "server 2026-07-28", program: SUITE, args: ["server", "--url", url, "--requirements", "2026-07-28"] },
  { name: "server 2025-11-25", program: SUITE, args: ["server", "--url", url, "--requirements", "2025-11-25"] },
  { name: "server, stable suite", program: "conformance-stable", args: ["server", "--url", url] },
];

/** Where our own client is driven by `client.ts`, each of its scenarios. */
const clientLegs = (): Leg[] => {
  const file = join(here, "client.ts");
  const command = `${process.execPath} ${file}`;
  const leg = (revision: string): Leg => ({
    name: `client ${revision}`,
    program: SUITE,
    args: ["client", "--command", command, "--requirements", revision, "--timeout", "160000"],
  });
  return existsSync(file) ? [leg("2026-07-28"), leg("2025-11-25")] : [];
};

const LeftOut = z.object({ client: z.array(z.string()) });

function clientsLeftOut(): Record<string, string> {
  const { client } = LeftOut.parse(parse(readFileSync(join(here, "client-left-out.yml"), "utf8")));
  return Object.fromEntries(client.map((name) => [name, "client-left-out.yml says why"]));
}

let passed = 0;
let failed = 0;
const notRun: string[] = [];
const say = (line: string) => void process.stdout.write(`${line}\n`);

async function judge(leg: Leg): Promise<void> {
  const { scenarios, output, exit } = await runLeg(leg, LEG_MS);
  const listed = EXPECTED_FAILURES[leg.name] ?? {};
  const expected = { ...listed, ...(leg.args.includes("client") ? clientsLeftOut() : {}) };
  say(`\n== ${leg.name}`);
  for (const { name, passed: good, failed: bad } of scenarios) {
    const reason = expected[name];
    const isGood = reason === undefined ? bad === 0 : bad > 0;
    if (isGood) passed++;
    else failed++;
    const why = reason === undefined ? "" : isGood ? ` (expected: ${reason})` : " (is said to fail, and does not)";
    say(`${isGood ? "ok" : "FAILED"} ${name}: ${good} passed, ${bad} failed${why}`);
  }
  const unknown = Object.keys(listed).filter((name) => !scenarios.some((one) => one.name === name));
  if (scenarios.length === 0 || unknown.length > 0) {
    failed++;
    say(`FAILED ${leg.name}: ${unknown.join(", ")} did not run (exit ${exit})\n${output.slice(-2_000)}`);
  }
}

const PARTS = ["server", "inspector", "client"];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : PARTS;
const isWanted = (part: string) => wanted.includes(part);
for (const part of PARTS) if (!isWanted(part)) notRun.push(`${part}: npm run test:conformance -- ${part}`);

if (!existsSync(join(PROGRAMS, "node_modules"))) {
  say("installing the suite");
  // With the settings of whoever runs this: they say where packages come from. Not `npm ci`, which fails where a
  // registry lacks what other platforms would need.
  const install = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { exit, output } = await run("npm", install, INSTALL_MS, process.env);
  if (exit !== 0) {
    say(`the suite could not be installed, so nothing of it was run:\n${output.slice(-2_000)}\n0 passed, 1 failed`);
    process.exit(1);
  }
}

if (isWanted("server")) {
  const fixture = await openFixture();
  try {
    for (const leg of serverLegs(fixture.url)) await judge(leg);
  } finally {
    await fixture.close();
  }
}
if (isWanted("client")) {
  const legs = clientLegs();
  if (legs.length === 0) notRun.push("client: there is no client.ts yet");
  for (const leg of legs) await judge(leg);
}
if (isWanted("inspector")) {
  say("\n== inspector");
  for (const { name, problem } of await inspect()) {
    if (problem === null) passed++;
    else failed++;
    say(problem === null ? `ok ${name}` : `FAILED ${name}: ${problem}`);
  }
}
for (const line of notRun) say(`not run: ${line}`);
say(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
