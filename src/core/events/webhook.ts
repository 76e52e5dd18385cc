// Webhooks: the receivers of events, and the store's rows of what still has to be delivered.

import type { Scope } from "../people/people.ts";
import { matchesAny } from "../text/pattern.ts";
import type { NetworkRules } from "../world/network.ts";
import { type EventData, NAMED_EVENTS, type OutboxEvent, type StoredEvent } from "./events.ts";

export const WEBHOOK_FORMS = ["standard", "slack", "discord", "teams"] as const;
export type WebhookForm = (typeof WEBHOOK_FORMS)[number];

/** A receiver, from the configuration. */
export interface Endpoint {
  /** A digest, because a chat's URL is a secret. The same for as long as URL and form are. */
  readonly id: string;
  readonly url: string;
  readonly form: WebhookForm;
  /** Signs what is sent. Null if the form has no signatures. */
  readonly key: Uint8Array | null;
  /** Patterns of types: `budget.*`, `*`. */
  readonly events: readonly string[];
  /** Names or ids of accounts. `*` for all, and for what concerns none. */
  readonly accounts: readonly string[];
  /** True if digests name people. */
  readonly showsPeople?: true;
  readonly network?: NetworkRules;
}

/** True if these patterns of a receiver mean the type. */
export function wantsEvent(events: readonly string[], type: string): boolean {
  return NAMED_EVENTS.has(type) ? events.includes(type) : matchesAny(events, type);
}

/** True if the receiver gets events of the account. Its name is null, and the id empty, for none. */
export function isFor(
  { accounts }: Pick<Endpoint, "accounts">,
  accountId: string,
  account: string | null,
): boolean {
  return accounts.some((one) => one === "*" || (accountId !== "" && (one === accountId || one === account)));
}

export const DELIVERY_STATES = ["waiting", "dead"] as const;
type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The answer of a receiver to an event that is sent once. */
interface TestAnswer {
  readonly accepted: boolean;
  /** Null without an answer. */
  readonly status: number | null;
  /** Null if it was accepted. */
  readonly reason: string | null;
}

/** Sends an endpoint a test event in the name of somebody, whatever events it gets. */
export type SendTest = (endpoint: Endpoint, sender: string) => Promise<TestAnswer>;

/** An event that one endpoint has not accepted yet. The row goes once it has. */
export interface Delivery {
  /** `whd_…` */
  readonly id: string;
  /** `msg_…`, the same in every attempt, and for every endpoint. */
  readonly webhookId: string;
  readonly endpoint: string;
  readonly type: string;
  /** Empty if it concerns no account. */
  readonly accountId: string;
  /** The time of the event. */
  readonly atMs: number;
  readonly data: EventData;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The time of the next attempt. Null once it is dead. */
  readonly dueAtMs: number | null;
  /** The status of the last answer. Null if there was none. */
  readonly status: number | null;
  /** The reason why the last attempt failed. Null before the first. */
  readonly reason: string | null;
}

/** The fields that an attempt changes. */
export type DeliveryResult = Pick<Delivery, "state" | "attempts" | "dueAtMs" | "status" | "reason">;

interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly scope: Scope;
}

/** From the states that were last reported to new ones, with the events of the change. Null changes nothing. */
type TellChange = (told: string) => {
  readonly told: string;
  readonly events: readonly OutboxEvent[];
} | null;

/** The reason of a delivery that somebody has sent again: it goes at once, whatever its endpoint wants. */
export const SENT_AGAIN = "sent again by hand";

/** Deliveries of types that begin like these come before those of others, and what was sent again before both. */
export type FirstTypes = readonly string[];

/** The store's methods on events and their deliveries. Each is one transaction, as in `Store`. */
export interface WebhookStore {
  /**
   * Takes the lease for a node, or extends it, until a time (Unix milliseconds). False if another has it: only the node
   * that has it takes events and delivers them.
   */
  lease(node: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Adds deliveries that have no event of the outbox. Those with an id of a row are left as they are. */
  add(deliveries: readonly Delivery[]): Promise<void>;
  /** Returns deliveries to an endpoint that are due, up to this many, those due first. Some types may come before all others. */
  due(endpoint: string, nowMs: number, most: number, first?: FirstTypes): Promise<readonly Delivery[]>;
  /** The endpoints with waiting deliveries. */
  waitingEndpoints(): Promise<readonly string[]>;
  /** Ends a delivery that was accepted. */
  remove(id: string): Promise<void>;
  /** Writes the result of an attempt, unless there was another one meanwhile. */
  record(id: string, result: DeliveryResult): Promise<void>;
  /** Ends all waiting deliveries of an endpoint, and says why. */
  bury(endpoint: string, reason: string): Promise<void>;
  /** Newest first. */
  list(
    filter: DeliveryFilter,
    page: { readonly limit: number; readonly after: { readonly atMs: number; readonly id: string } | null },
  ): Promise<readonly Delivery[]>;
  /** Has a delivery sent at a time (Unix milliseconds), dead or not. Returns it, or null if there is none. */
  sendAgain(id: string, atMs: number, scope: Scope): Promise<Delivery | null>;
  /** Deletes dead ones from before a time (Unix milliseconds), or beyond this many. Returns the number deleted. */
  prune(beforeMs: number, keptMax: number): Promise<number>;
  /** The endpoints that were switched off. */
  off(): Promise<readonly string[]>;
  /** Switches an endpoint off at a time (Unix milliseconds), or on again with null. */
  switchOff(endpoint: string, atMs: number | null): Promise<void>;
  /** Changes the states that were reported, and records the events of the change. `telling` must be pure. */
  tell(telling: TellChange): Promise<void>;
}

/** Returns an event's deliveries, which are written in the transaction that takes it. */
type Routing = (event: StoredEvent) => Promise<readonly Delivery[]>;

/** The store's methods on the outbox. */
export interface EventStore {
  /** Takes up to this many events, oldest first, each by one process only, in one transaction with its deliveries. */
  takeEvents(nowMs: number, most: number, route?: Routing): Promise<readonly StoredEvent[]>;
  /** Records events that have no transaction of their own. Those whose id was recorded before are left as they are. */
  addEvents(events: readonly OutboxEvent[]): Promise<void>;
}
