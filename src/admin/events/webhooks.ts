// Deliveries of events that no receiver has accepted yet, as operators see them, and sending one again.
import { type Static, Type } from "@sinclair/typebox";
import {
  DELIVERY_STATES,
  type Delivery,
  type Endpoint,
  type SendTest,
  WEBHOOK_FORMS,
} from "../../core/events/webhook.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Act, Scope } from "../../core/people/people.ts";
import { recordAct } from "../audit/audit-trail.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { type ListPage, listPage, pageFields } from "../list.ts";
import { allowNull, allowWords, boolean, closeObject, count, instant, text, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";

export const deliveriesQuery = closeObject({
  ...pageFields,
  state: Type.Optional(allowWords(DELIVERY_STATES)),
  type: Type.Optional(text),
});

export const deliverySchema = Type.Object({
  id: text,
  webhook_id: Type.String({
    description: "The receiver knows the event by it: it is the same in every attempt.",
  }),
  type: text,
  at: instant,
  account_id: allowNull(text),
  host: Type.Union([text, Type.Null()], {
    description: "The receiver's host. Null if the configuration has it no more.",
  }),
  state: allowWords(DELIVERY_STATES),
  attempts: count,
  due_at: allowNull(instant),
  status: allowNull(Type.Integer()),
  reason: allowNull(text),
});
export type DeliveryView = View<typeof deliverySchema>;

export const receiverSchema = Type.Object({
  id: Type.String({ description: "The same for as long as its address and form are." }),
  host: Type.String({ description: "The rest of its address may be a secret." }),
  form: allowWords(WEBHOOK_FORMS),
  signed: boolean,
  events: Type.Array(text, { description: "Patterns of the types that it gets, such as `budget.*`." }),
  accounts: Type.Array(text, { description: "Names or ids of the accounts whose events it gets, or `*`." }),
  people: Type.Boolean({ description: "True if digests name people to it." }),
});

export type ReceiverView = View<typeof receiverSchema>;

export function receiverView(endpoint: Endpoint): ReceiverView {
  const { id, url, form, key, events, accounts, showsPeople = false } = endpoint;
  return {
    id,
    host: new URL(url).host,
    form,
    signed: key !== null,
    events: [...events],
    accounts: [...accounts],
    people: showsPeople,
  };
}

export const sendAgainSchema = closeObject({ id: Type.String({ minLength: 1, maxLength: 100 }) });

export const testReceiverSchema = closeObject({
  id: Type.String({ minLength: 1, maxLength: 100, description: "The receiver's id." }),
});
export const testAnswerSchema = Type.Object({
  accepted: boolean,
  status: Type.Union([Type.Integer(), Type.Null()], { description: "Null if the receiver didn't answer." }),
  reason: Type.Union([text, Type.Null()], { description: "Null if it accepted the event." }),
});
export type TestAnswerView = View<typeof testAnswerSchema>;

interface WebhookParts {
  readonly world: AdminWorld;
  readonly endpoints: () => readonly Endpoint[];
}

interface TestParts extends WebhookParts {
  readonly sendTest: SendTest;
}

/** Sends a test event at once, on record. It isn't stored, and isn't sent again. */
export async function testReceiver(
  { world, endpoints, sendTest }: TestParts,
  { id }: Static<typeof testReceiverSchema>,
  { act }: { readonly act: Act },
): Promise<TestAnswerView> {
  const endpoint = endpoints().find((one) => one.id === id);
  if (endpoint === undefined) throw new Fault("not_found", "The configuration has no receiver with that id.");
  const answer = await sendTest(endpoint, act.actor.name || act.actor.id);
  const target = { type: "webhook", id, name: new URL(endpoint.url).host } as const;
  await recordAct(world, act, { action: "webhook.tested", target });
  return { ...answer };
}

/** Returns a page of what waits or has failed for good, newest first. */
export function listDeliveries(
  { world, endpoints }: WebhookParts,
  query: Static<typeof deliveriesQuery>,
  scope: Scope,
): Promise<ListPage<DeliveryView>> {
  const { state, type } = query;
  return listPage(
    query,
    (page) => world.store.webhooks.list({ state, type, scope }, page),
    ({ atMs, id }) => ({ atMs, id }),
    (delivery) => deliveryView(delivery, endpoints()),
  );
}

/** Has a delivery sent once more, within a second, on record. */
export async function sendDeliveryAgain(
  { world, endpoints }: WebhookParts,
  { id }: Static<typeof sendAgainSchema>,
  { act, scope }: { readonly act: Act; readonly scope: Scope },
): Promise<DeliveryView> {
  const { store, clock } = world;
  const delivery = await store.webhooks.sendAgain(id, clock.nowMs(), scope);
  if (delivery === null) throw new Fault("not_found", "There is no delivery with that id.");
  const target = { type: "webhook", id, name: delivery.type } as const;
  await recordAct(world, act, { action: "webhook.sent", target, accountId: delivery.accountId || null });
  return deliveryView(delivery, endpoints());
}

function deliveryView(delivery: Delivery, endpoints: readonly Endpoint[]): DeliveryView {
  const endpoint = endpoints.find(({ id }) => id === delivery.endpoint);
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    type: delivery.type,
    at: formatInstant(delivery.atMs),
    account_id: delivery.accountId || null,
    // The rest of a URL may be a secret.
    host: endpoint ? new URL(endpoint.url).host : null,
    state: delivery.state,
    attempts: delivery.attempts,
    due_at: formatInstantOrNull(delivery.dueAtMs),
    status: delivery.status,
    reason: delivery.reason,
  };
}
