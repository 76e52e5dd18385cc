// The actions on deliveries of events.
import type { Endpoint } from "../../core/events/webhook.ts";
import type { DELIVERY } from "../../core/things/delivery.ts";
import {
  deliveriesQuery,
  deliverySchema,
  listDeliveries,
  sendAgainSchema,
  sendDeliveryAgain,
} from "../events/webhooks.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { show, showMade, takeBody, takeQuery, type Uses } from "./use.ts";

export interface DeliveryParts {
  readonly world: AdminWorld;
  readonly endpoints: () => readonly Endpoint[];
}

export function makeDeliveryUses(parts: DeliveryParts): Uses<typeof DELIVERY> {
  return {
    list: takeQuery(deliveriesQuery, show(wrapRows(deliverySchema)), (query, { scope }) =>
      listDeliveries(parts, query, scope),
    ),
    sendAgain: takeBody(sendAgainSchema, showMade(deliverySchema), (body, caller) =>
      sendDeliveryAgain(parts, body, caller),
    ),
  };
}
