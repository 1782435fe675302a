import type { BackendEnd } from "../ports/index.ts";
import type { FailReason, ModelFault } from "../schema/index.ts";
import type { Replied } from "./call-model.ts";

export const failed = (reason: FailReason, message: string): BackendEnd => ({ kind: "failed", reason, message });

const REASON: Readonly<Record<ModelFault, FailReason>> = {
  rate_limited: "rate_limited",
  unavailable: "backend_unavailable",
  auth: "backend_unavailable",
  "too-long": "backend_error",
  other: "backend_error",
};

/** For good: it was tried again where that may help. */
export const failedModel = ({ fault, message, retryAfterMs }: Extract<Replied, { kind: "failed" }>): BackendEnd => ({
  kind: "failed",
  reason: REASON[fault],
  message: fault === "rate_limited" || fault === "unavailable" ? `llm_unreachable: ${message}` : message,
  retryAfterMs,
});

export const isTooLong = (replied: Replied): boolean => replied.kind === "failed" && replied.fault === "too-long";

export const refusal = ({ text }: { readonly text: string }): BackendEnd =>
  failed("refused", text.trim() || "the model refused to answer");
