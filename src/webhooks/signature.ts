// Signatures by the convention of Standard Webhooks (standardwebhooks.com).
import { createHmac } from "node:crypto";

/** Returns the value of `webhook-signature` for an attempt at a time in Unix seconds. */
export function signDelivery(key: Uint8Array, id: string, atSeconds: number, body: string): string {
  const digest = createHmac("sha256", key).update(`${id}.${atSeconds}.${body}`).digest("base64");
  return `v1,${digest}`;
}
