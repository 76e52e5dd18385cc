// /admin/v1/webhooks/deliveries: events that receivers have not accepted, and sending one again.
import { Elysia } from "elysia";
import {
  deliveriesQuery,
  deliverySchema,
  listDeliveries,
  sendAgainSchema,
  sendDeliveryAgain,
} from "../../admin/events/webhooks.ts";
import { wrapRows } from "../../admin/schema.ts";
import type { Endpoint } from "../../core/events/webhook.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

interface WebhookPorts extends WritingParts {
  readonly endpoints: () => readonly Endpoint[];
}

export function webhookRoutes(ports: WebhookPorts) {
  const { reads, writes } = createOperatorHooks(ports, "Webhooks");
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/webhooks/deliveries",
      ({ query, request }) => listDeliveries(ports, query, readOperator(request).scope),
      {
        ...reads(
          "webhooks.read",
          "listDeliveries",
          "List events that wait for their receiver, or were given up",
        ),
        query: takesQuery(deliveriesQuery),
        response: returnsBody(wrapRows(deliverySchema)),
      },
    )
    .post(
      "/webhooks/deliveries",
      async ({ body, request, status }) =>
        status(201, await sendDeliveryAgain(ports, body, readOperator(request))),
      {
        ...writes("webhooks.write", "sendDeliveryAgain", "Send an event to its receiver once more"),
        body: takesBody(sendAgainSchema),
        response: { 201: returnsBody(deliverySchema) },
      },
    );
}
