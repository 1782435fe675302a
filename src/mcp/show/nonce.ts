import { randomBytes } from "node:crypto";

/** New for every envelope, so that nothing written before can know it. */
export const nonce = (): string => randomBytes(9).toString("base64url");
