// A test event: sent to one receiver at once, whatever events it gets, and never again.
import type { Delivery, SendTest } from "../core/events/webhook.ts";
import type { Random } from "../core/world/world.ts";
import { type AttemptParts, sendDelivery } from "./attempt.ts";

const ID_BYTES = 12;

interface TestEventParts extends AttemptParts {
  readonly random: Random;
}

export function makeSendTest(parts: TestEventParts): SendTest {
  return async (endpoint, sender) => {
    const id = parts.random.bytes(ID_BYTES).toHex();
    const nowMs = parts.clock.nowMs();
    const delivery: Delivery = {
      id: `whd_${id}`,
      webhookId: `msg_${id}`,
      endpoint: endpoint.id,
      type: "webhook.test",
      accountId: "",
      atMs: nowMs,
      data: { id: endpoint.id, name: sender },
      state: "waiting",
      attempts: 0,
      dueAtMs: nowMs,
      status: null,
      reason: null,
    };
    const answer = await sendDelivery(parts, endpoint, delivery, []);
    if (answer.kind === "accepted") return { accepted: true, status: answer.status, reason: null };
    const { status } = answer;
    return answer.kind === "gone"
      ? { accepted: false, status, reason: `status ${status}: it says that it is gone` }
      : { accepted: false, status, reason: answer.reason };
  };
}
