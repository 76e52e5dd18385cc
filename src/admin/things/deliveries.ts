// The actions on deliveries of events.
import type { Endpoint, SendTest } from "../../core/events/webhook.ts";
import type { DELIVERY } from "../../core/things/delivery.ts";
import {
  deliveriesQuery,
  deliverySchema,
  listDeliveries,
  receiverSchema,
  receiverView,
  sendAgainSchema,
  sendDeliveryAgain,
  testAnswerSchema,
  testReceiver,
  testReceiverSchema,
} from "../events/webhooks.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { showMade, showView, takeBody, takePath, takeQuery, type Uses } from "./use.ts";

export interface DeliveryParts {
  readonly world: AdminWorld;
  readonly endpoints: () => readonly Endpoint[];
  readonly sendTest: SendTest;
}

export function makeDeliveryUses(parts: DeliveryParts): Uses<typeof DELIVERY> {
  return {
    receivers: takePath(showView(wrapRows(receiverSchema)), () => ({
      data: parts.endpoints().map(receiverView),
      next: null,
    })),
    list: takeQuery(deliveriesQuery, showView(wrapRows(deliverySchema)), (query, { scope }) =>
      listDeliveries(parts, query, scope),
    ),
    sendAgain: takeBody(sendAgainSchema, showMade(deliverySchema), (body, caller) =>
      sendDeliveryAgain(parts, body, caller),
    ),
    test: takeBody(testReceiverSchema, showView(testAnswerSchema), (body, caller) =>
      testReceiver(parts, body, caller),
    ),
  };
}
