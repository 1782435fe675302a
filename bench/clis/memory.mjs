// A worker of its own, as it is installed, for what it takes itself: says its resident memory, in megabytes, as JSON.
// Takes what to measure, and the options of a Cadre whose agent `worker` runs on the stub. Needs the build.
import { openCadre } from "../../dist/index.js";

const MEGABYTE = 1024 * 1024;
const CHILDREN = 50;
const resident = () => process.memoryUsage.rss() / MEGABYTE;
const [what, ...places] = process.argv.slice(2);
const [first, second] = places.map((place) => JSON.parse(place));

/** With that many programs that hang. */
async function many() {
  const cadre = await openCadre(first);
  for (let started = 0; started < CHILDREN; started++) await cadre.start({ agent: "worker", prompt: "hang" });
  const over = new AbortController();
  const working = cadre.work({ until: "stopped" }, over.signal);
  while ((await running(cadre)) < CHILDREN) await new Promise((resolve) => setTimeout(resolve, 100));
  const taken = resident();
  over.abort();
  await working;
  await cadre.close();
  return taken;
}

/** Those that are prepared: the program is started right after. */
async function running(cadre) {
  const { tasks } = await cadre.call("task.list", { status: ["running"], limit: 2 * CHILDREN });
  return tasks.filter(({ attempts }) => attempts.at(-1)?.workspace !== null).length;
}

/** What a long stream adds, once everything is loaded that a short one needs. */
async function stream() {
  const warm = await openCadre(first);
  await warm.run({ agent: "worker", prompt: "go" });
  await warm.close();
  const cadre = await openCadre(second);
  const before = resident();
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, resident())), 10);
  const { outcome } = await cadre.run({ agent: "worker", prompt: "go" });
  clearInterval(sampling);
  await cadre.close();
  if (outcome?.status !== "completed") throw new Error(JSON.stringify(outcome));
  return most - before;
}

process.stdout.write(`${JSON.stringify(await (what === "many" ? many : stream)())}\n`);
process.exit();
