import { SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import { answerIn, askedOf, formOf, type Given, type HostQuestion } from "./ask-host.ts";

/** A person reads before they answer. Somebody who is not there is no reason to wait for ever. */
const ANSWER_MS = 300_000;

/** Asks the host's user while the call waits, one after the other. Nothing said in time is a no. */
export async function askNow(questions: readonly HostQuestion[], { mcpReq }: ServerContext): Promise<Given[]> {
  const given: Given[] = [];
  for (const question of questions) {
    const asked = askedOf(question);
    // On the call's own stream: another one may not be open.
    const options = { timeout: ANSWER_MS, signal: mcpReq.signal, relatedRequestId: mcpReq.id };
    const result = await mcpReq.elicitInput(formOf(question), options).catch((error: unknown) => {
      // Who has left, or takes back the whole call, has not said no: the question stays open.
      if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) throw error;
      mcpReq.signal.throwIfAborted();
      return { action: "cancel" };
    });
    const answer = answerIn({ [asked.approval]: result }, asked);
    if (answer !== undefined) given.push({ ...asked, answer });
  }
  return given;
}
