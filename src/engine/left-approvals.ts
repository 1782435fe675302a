// What earlier attempts of a task have asked, and nobody lived to hear the answer to.
import type { Approval, ApprovalView, TaskView } from "../schema/index.ts";

type Asked = Pick<Approval, "kind" | "title" | "sha256">;

/** Whoever puts one of these questions again takes it up as it is, each once: an answer is to one asking. */
export class LeftApprovals {
  readonly #left: ApprovalView[];

  /** `task`: as it was when the attempt began. */
  constructor({ approvals }: Pick<TaskView, "approvals">) {
    this.#left = approvals.filter((one, at) => isLeft(one, approvals.slice(at + 1)));
  }

  take(question: Asked): Approval | undefined {
    const at = this.#left.findIndex((one) => isSame(one, question));
    return at === -1 ? undefined : this.#left.splice(at, 1)[0];
  }
}

/** Of a question that was put several times, the last is meant: after that was settled, no answer to an earlier one is taken. */
function isLeft(one: ApprovalView, later: readonly ApprovalView[]): boolean {
  if (one.state !== "answered") return one.state === "open";
  return !later.some((other) => isSame(one, other) && (other.state === "applied" || other.state === "expired"));
}

const isSame = (a: Asked, b: Asked): boolean => a.kind === b.kind && a.title === b.title && a.sha256 === b.sha256;
