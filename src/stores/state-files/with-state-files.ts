import type {
  Admission,
  AdmitAnswer,
  Appended,
  Bell,
  ClaimAnswer,
  ClaimedTask,
  ClaimRequest,
  CommandAnswer,
  HeldEntry,
  Hold,
  InboxQuery,
  ReadQuery,
  SessionQuery,
  Store,
  TaskQuery,
} from "../../ports/index.ts";
import type {
  InboxItemId,
  Limited,
  SessionId,
  TaskCommand,
  TaskId,
  TaskRef,
  Worker,
  WorkerId,
} from "../../schema/index.ts";
import { StateFiles } from "./state-files.ts";
import type { StateFileOptions } from "./state-writer.ts";

/**
 * A store that also shows itself as files: a state file, a plan and a log for each task, a file for each
 * session, and a log of all attempts of a day. They are written after the commit and before the verb
 * returns. With `showAfterMs` nobody who works is kept waiting: that a task goes on, and what is new in a session,
 * is shown that much later, and of an end that was appended the files are begun at once. A plan is there before what
 * may look at it, as ever. The store stays the truth: a file that cannot be written costs nobody anything but the file.
 */
export interface ShownStore extends Store {
  /** The files of every end of a root that was appended before show it, unless they cannot be written. Never rejects. */
  shown(): Promise<void>;
}

export const withStateFiles = (store: Store, options: StateFileOptions): ShownStore =>
  new StoreWithFiles(store, new StateFiles(store, options));

const looks = (entry: HeldEntry): boolean => entry.type === "tool.called" && entry.effect === "read";

class StoreWithFiles implements ShownStore {
  readonly id: string;
  readonly #store: Store;
  readonly #files: StateFiles;

  constructor(store: Store, files: StateFiles) {
    this.id = store.id;
    this.#store = store;
    this.#files = files;
  }

  async admit(admissions: readonly Admission[], hold?: Hold, claim?: ClaimRequest): Promise<AdmitAnswer> {
    const answer = await this.#store.admit(admissions, hold, claim);
    if (answer.kind === "admitted") {
      await this.#files.admitted(answer.tasks);
      await this.#claimed(answer.claims);
    }
    return answer;
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const answer = await this.#store.claim(request);
    if (answer.kind === "claimed") await this.#claimed(answer.claims);
    return answer;
  }

  async #claimed(claims: readonly ClaimedTask[]): Promise<void> {
    await Promise.all(claims.map(({ task }) => this.#files.claimed(task)));
  }

  async append(hold: Hold, entries: readonly HeldEntry[], before?: "effect"): Promise<Appended> {
    const appended = await this.#store.append(hold, entries, before);
    if (before === "effect" || entries.some(looks)) this.#files.isAbout(appended.task);
    await this.#files.appended(appended.task, entries);
    return appended;
  }

  async regain(hold: Hold, maxConcurrent: number): Promise<boolean> {
    const isBack = await this.#store.regain(hold, maxConcurrent);
    if (isBack) await this.#files.resumed(hold.task);
    return isBack;
  }

  async command(task: TaskId, command: TaskCommand): Promise<CommandAnswer> {
    const answer = await this.#store.command(task, command);
    if (answer.kind !== "refused") await this.#files.commanded(answer.task, command, answer.kind === "done");
    return answer;
  }

  async interrupt(worker: WorkerId, why: string) {
    const views = await this.#store.interrupt(worker, why);
    await this.#files.interrupted(views, why);
    return views;
  }

  holders() {
    return this.#store.holders();
  }

  resident() {
    return this.#store.resident();
  }

  moveIn(worker: Worker, instead: WorkerId | null): Promise<boolean> {
    return this.#store.moveIn(worker, instead);
  }

  moveOut(request: ClaimRequest): Promise<boolean> {
    return this.#store.moveOut(request);
  }

  task(id: TaskId) {
    return this.#store.task(id);
  }

  tasks(query: TaskQuery) {
    return this.#store.tasks(query);
  }

  findTasks(ref: TaskRef) {
    return this.#store.findTasks(ref);
  }

  session(id: SessionId) {
    return this.#store.session(id);
  }

  sessions(query: SessionQuery) {
    return this.#store.sessions(query);
  }

  async expireSession(session: SessionId, by: string, unusedSince: number): Promise<boolean> {
    const isGone = await this.#store.expireSession(session, by, unusedSince);
    if (isGone) await this.#files.expired(session);
    return isGone;
  }

  inbox(query: InboxQuery) {
    return this.#store.inbox(query);
  }

  inboxItem(id: InboxItemId) {
    return this.#store.inboxItem(id);
  }

  coolDown(limited: Limited) {
    return this.#store.coolDown(limited);
  }

  coolDowns() {
    return this.#store.coolDowns();
  }

  acknowledge(items: readonly InboxItemId[], by: string) {
    return this.#store.acknowledge(items, by);
  }

  head() {
    return this.#store.head();
  }

  read(query: ReadQuery) {
    return this.#store.read(query);
  }

  subscribe(ring: Bell): Disposable {
    return this.#store.subscribe(ring);
  }

  shown(): Promise<void> {
    return this.#files.shown();
  }

  async close(): Promise<void> {
    await this.#files.close();
    await this.#store.close();
  }
}
