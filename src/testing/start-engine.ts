// A real engine on fakes: its own memory store, clock and machine, all of which a test can share between
// engines to play several processes.
import { tapeBackend } from "../backends/tape/tape-backend.ts";
import { noConfinement } from "../confinement/none/no-confinement.ts";
import { DEFAULT_SETTINGS, type Settings } from "../domain/limits.ts";
import { BASELINE } from "../domain/policy.ts";
import { type Engine, openEngine, type TaskRequest, type WorkOptions } from "../engine/index.ts";
import type {
  Backend,
  Confinement,
  Credentials,
  Custody,
  Gate,
  Gates,
  LiveParts,
  Mint,
  Registry,
  Store,
  Workspaces,
} from "../ports/index.ts";
import { systemClock } from "../platform/system-clock.ts";
import type { Envelope, Policy, TaskId, TaskStatus, TaskView } from "../schema/index.ts";
import { memoryStore } from "../stores/memory/memory-store.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { type FakeMachine, fakeMachine } from "./fake-machine.ts";
import { fakeMint } from "./fake-mint.ts";
import { memoryWorkspaces } from "./memory-workspaces.ts";
import { noCustody } from "./no-custody.ts";
import { severable } from "./severable-store.ts";

/** What several engines of one test share, as processes share a disk, a clock and a machine. */
export interface TestWorld {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly machine: FakeMachine;
  readonly mint: Mint;
}

export function testWorld(): TestWorld {
  const clock = fakeClock();
  return { clock, store: memoryStore(clock), machine: fakeMachine(), mint: fakeMint() };
}

export interface TestEngineOptions {
  readonly world?: TestWorld;
  readonly registry: Registry;
  readonly backends?: readonly Backend[];
  readonly workspaces?: Workspaces;
  /** The same for every task, or by task. */
  readonly gates?: readonly Gate[] | Gates;
  readonly confinement?: Confinement;
  readonly custody?: Custody;
  readonly credentials?: Partial<Pick<Credentials, "available" | "known">>;
  readonly settings?: Partial<Settings>;
  readonly baseline?: Policy;
  readonly live?: LiveParts;
}

export interface TestEngine extends AsyncDisposable {
  readonly engine: Engine;
  readonly world: TestWorld;
  start(request: Partial<TaskRequest> & Pick<TaskRequest, "agent">): Promise<TaskView>;
  /** Begins to work, in the background of the test. */
  work(options?: Partial<WorkOptions>): void;
  /** Starts it, works until nothing is left, and shows it as it is then. */
  run(request: Partial<TaskRequest> & Pick<TaskRequest, "agent">): Promise<TaskView>;
  show(task: TaskId): Promise<TaskView>;
  /** Lets everything happen that needs no time, then expects the status. */
  until(task: TaskId, status: TaskStatus): Promise<TaskView>;
  log(task: TaskId): Promise<readonly Envelope[]>;
  /** As SIGKILL would: nothing gets a chance to clean up. */
  kill(): void;
}

/** In real time, and shorter than a test may take: what is waited for is named then. */
const PATIENCE_MS = 20_000;
const ROUND_MS = 1;
const NEVER = new AbortController().signal;

const gatesOf = (gates: readonly Gate[] | Gates): Gates => (typeof gates === "function" ? gates : () => gates);

export async function startEngine(options: TestEngineOptions): Promise<TestEngine> {
  const world = options.world ?? testWorld();
  const liveness = world.machine.worker();
  const { store, sever } = severable(world.store);
  let isKilled = false;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const backends = [tapeBackend(), ...(options.backends ?? [])];
  const engine = await openEngine({
    store,
    clock: world.clock,
    mint: world.mint,
    liveness,
    registry: options.registry,
    backends: new Map(backends.map((backend) => [backend.name, backend])),
    workspaces: options.workspaces ?? memoryWorkspaces(),
    confinement: options.confinement ?? noConfinement,
    custody: async () => options.custody ?? noCustody,
    credentials: { available: async () => [], known: () => [], ...options.credentials },
    gates: gatesOf(options.gates ?? []),
    scopeOf: (path) => path,
    homes: ["/cadre-home"],
    ownFiles: (task) => ({
      plan: `/cadre-home/plans/${task}_plan.md`,
      folder: "/cadre-home/workspace",
      scopes: [`/cadre-home/plans/${task}_plan.md`, "/cadre-home/workspace"],
    }),
    live: options.live ?? { write: () => undefined },
    settings,
    baseline: options.baseline ?? BASELINE,
  });
  const bugs: unknown[] = [];

  const show = async (task: TaskId): Promise<TaskView> => {
    const view = await world.store.task(task);
    if (view === undefined) throw new Error(`there is no ${task}`);
    return view;
  };
  const start: TestEngine["start"] = async (request) => {
    const [task] = await engine.admit(
      [{ prompt: "do it", askable: "inbox", origin: { mouth: "test", by: "tester" }, ...request }],
      null,
    );
    if (task === undefined) throw new Error("nothing was admitted");
    return task;
  };
  const work: TestEngine["work"] = (wish = {}) => {
    const worker = engine.work({ dispatch: ["auto"], until: "stopped", ...wish });
    void worker.catch((error: unknown) => void bugs.push(error));
  };

  return {
    engine,
    world,
    start,
    work,
    async run(request) {
      const task = await start(request);
      await engine.work({ dispatch: ["auto"], until: "idle" });
      return show(task.id);
    },
    show,
    async until(task, status) {
      const deadline = systemClock.monotonic() + PATIENCE_MS;
      let view: TaskView;
      for (;;) {
        await world.clock.settle();
        if (bugs.length > 0) throw bugs[0];
        view = await show(task);
        if (view.status === status) return view;
        if (systemClock.monotonic() > deadline) break;
        // Files and code that is loaded when it is needed come in real time, however often one looks; and on a machine
        // that is busy only to those who leave it some.
        await systemClock.sleep(ROUND_MS, NEVER);
      }
      throw new Error(`${task} is ${view.status}, not ${status}: ${JSON.stringify(view.outcome ?? view.waitingOn)}`);
    },
    log: (task) => world.store.read({ stream: `task:${task}`, after: 0, limit: 10_000 }),
    kill() {
      isKilled = true;
      sever();
      world.machine.kill(liveness.self.id);
    },
    async [Symbol.asyncDispose]() {
      if (isKilled) return;
      const closed = engine.close();
      await world.clock.advance(settings.stopGraceMs); // for backends that do not end when they are asked to
      await closed;
      if (bugs.length > 0) throw bugs[0];
    },
  };
}
