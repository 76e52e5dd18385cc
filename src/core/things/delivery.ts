// An event on its way to a receiver that hasn't accepted it. The configuration has the receivers.
import type { Thing } from "./thing.ts";

export const DELIVERY = {
  name: "webhook",
  tag: "Webhooks",
  actions: {
    receivers: {
      id: "listReceivers",
      method: "GET",
      path: "/webhooks",
      permission: "webhooks.read",
      summary: "List the receivers of events that the configuration has",
    },
    list: {
      id: "listDeliveries",
      method: "GET",
      path: "/webhooks/deliveries",
      permission: "webhooks.read",
      summary: "List events that wait for their receiver, or were given up",
    },
    sendAgain: {
      id: "sendDeliveryAgain",
      method: "POST",
      path: "/webhooks/deliveries",
      permission: "webhooks.write",
      summary: "Send an event to its receiver once more",
      audit: "webhook.sent",
    },
    test: {
      id: "testReceiver",
      method: "POST",
      path: "/webhooks/test",
      permission: "webhooks.write",
      summary: "Send a test event to a receiver, once, and get its answer",
      audit: "webhook.tested",
    },
  },
} as const satisfies Thing;
