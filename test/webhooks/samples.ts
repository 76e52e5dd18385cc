// A delivery as the store keeps it.
import type { Delivery } from "../../src/core/events/webhook.ts";
import { NOON } from "../harness/samples.ts";

export function makeDelivery(id: string, fields: Partial<Delivery> = {}): Delivery {
  return {
    id,
    webhookId: `msg_${id}`,
    endpoint: "one",
    type: "key.created",
    accountId: "default",
    atMs: NOON,
    data: { name: "ci <b>" },
    state: "waiting",
    attempts: 0,
    dueAtMs: NOON,
    status: null,
    reason: null,
    ...fields,
  };
}
