// Delivery: the node that has the lease takes events, and sends each endpoint what is due, whatever the others do.
import type { AuditRow } from "../core/audit/audit-log.ts";
import type { StoredEvent } from "../core/events/events.ts";
import { type Delivery, type Endpoint, type FirstTypes, SENT_AGAIN } from "../core/events/webhook.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Fetch, Log, Random } from "../core/world/world.ts";
import { type Answer, planNext, sendDelivery } from "./attempt.ts";
import { DIGEST, pickLogged, readDigest } from "./digest.ts";
import { FORMS } from "./forms.ts";
import { findUnnamedMember, type Happening, readAudited, readEvent, routeTo } from "./route.ts";

/** Longer than a node needs between two ticks. Another takes over after it. */
const LEASE_MS = 15_000;
const EVENTS_AT_ONCE = 100;
const AUDITED = "webhooks_audited";

interface WebhookDeliveryParts {
  readonly store: Pick<
    Store,
    | "webhooks"
    | "takeEvents"
    | "auditLog"
    | "account"
    | "key"
    | "setting"
    | "setSetting"
    | "node"
    | "clockAheadMs"
  > & { readonly people: Pick<Store["people"], "member"> };
  readonly clock: Pick<Clock, "nowMs" | "after">;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly log: Log;
  readonly version: string;
  /** Those of the current configuration. */
  readonly endpoints: () => readonly Endpoint[];
}

/** Somebody has to act on these, so a chat hears of them before all else. */
const FIRST_IN_CHATS: FirstTypes = [
  "budget.",
  "balance.",
  "provider.",
  "credential.",
  "topup.",
  "issuer.",
  "member.",
  "token.",
];
/** The deliveries that wait among which those that are alike are sought. */
const ALIKE_MAX = 1000;

/** A delivery, and those that go in the same message. */
interface DeliveryMessage {
  readonly delivery: Delivery;
  readonly alike: readonly Delivery[];
}

export class Delivering {
  readonly #parts: WebhookDeliveryParts;
  /** The running deliveries, by endpoint. */
  readonly #running = new Map<string, Promise<void>>();
  /** Until when an endpoint wants no calls. */
  readonly #restsUntilMs = new Map<string, number>();
  #leasedUntilMs = 0;
  #isStopped = false;

  constructor(parts: WebhookDeliveryParts) {
    this.#parts = parts;
  }

  /** Notes where the audit log ends, if it was never read. Call it before the first request: nothing later is missed. */
  async begin(): Promise<void> {
    const { store } = this.#parts;
    // Another node may note its end and take a request in between, so the log's end is read first.
    const head = await store.auditLog.head();
    if ((await store.setting(AUDITED)) === null) await store.setSetting(AUDITED, String(head.seq));
  }

  /** Takes what happened and begins to send what is due. Call it every second. */
  async tick(): Promise<void> {
    const { store, endpoints } = this.#parts;
    await this.#renewLease();
    if (this.#leasedUntilMs === 0) return;
    const off = new Set(await store.webhooks.off());
    const on = endpoints().filter(({ id }) => !off.has(id));
    await this.#takeEvents(on);
    await this.#takeAudited(on);
    await this.#buryStray();
    for (const endpoint of endpoints()) this.#start(endpoint, off.has(endpoint.id));
  }

  /** Renews it at half of its time, so that an idle gateway hardly writes. */
  async #renewLease(): Promise<void> {
    const { store } = this.#parts;
    const nowMs = this.#nowMs();
    const leftMs = this.#leasedUntilMs - nowMs;
    if (leftMs > LEASE_MS / 2 && leftMs <= LEASE_MS) return;
    const untilMs = nowMs + LEASE_MS;
    this.#leasedUntilMs = (await store.webhooks.lease(store.node, nowMs, untilMs)) ? untilMs : 0;
  }

  /** True while no other node delivers. */
  get isDelivering(): boolean {
    return this.#nowMs() < this.#leasedUntilMs;
  }

  /** Resolves once nothing is being sent. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Ends it. Running attempts have this long to be answered; else another node makes them once more. */
  async stop(waitMs: number): Promise<void> {
    this.#leasedUntilMs = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(waitMs, resolve);
    await Promise.race([this.settle(), promise]);
    cancel();
    this.#isStopped = true;
  }

  /** By the store's clock, which all nodes share. */
  #nowMs(): number {
    return this.#parts.clock.nowMs() + (this.#parts.store.clockAheadMs() ?? 0);
  }

  /** Each event is logged too. */
  async #takeEvents(on: readonly Endpoint[]): Promise<void> {
    const { store, log } = this.#parts;
    for (;;) {
      const events = await store.takeEvents(this.#nowMs(), EVENTS_AT_ONCE, async (event) =>
        on.length === 0
          ? []
          : routeTo(
              on,
              await this.#readEvent(event),
              await this.#nameAccount(event.accountId),
              this.#nowMs(),
            ),
      );
      for (const { type, accountId, data: told } of events) {
        const isDigest = type === DIGEST;
        const data = isDigest ? pickLogged(told) : told;
        log({ ...data, event: type, level: isDigest ? "info" : "warn", account_id: accountId });
      }
      if (events.length < EVENTS_AT_ONCE) return;
    }
  }

  /** Events about a person are recorded under the id, since they are kept longer than a name may be. */
  async #readEvent(event: StoredEvent): Promise<Happening> {
    if (event.type === DIGEST) return { ...readEvent(event), ...(await readDigest(this.#parts, event.data)) };
    const id = findUnnamedMember(event.data);
    if (id === null) return readEvent(event);
    const member = await this.#parts.store.people.member(id);
    return readEvent({ ...event, data: { ...event.data, name: member?.name || id } });
  }

  /** Reads on in the audit log from the row that was read last; without an endpoint, from its end. */
  async #takeAudited(on: readonly Endpoint[]): Promise<void> {
    const { store } = this.#parts;
    const head = await store.auditLog.head();
    const noted = await store.setting(AUDITED);
    let seq = noted === null || on.length === 0 ? head.seq : Number(noted);
    if (noted !== String(seq)) await store.setSetting(AUDITED, String(seq));
    while (seq < head.seq) {
      const rows = await store.auditLog.rowsFrom(seq + 1, EVENTS_AT_ONCE);
      await store.webhooks.add(await this.#routeAudited(on, rows));
      seq = rows.at(-1)?.seq ?? head.seq;
      await store.setSetting(AUDITED, String(seq));
    }
  }

  async #routeAudited(on: readonly Endpoint[], rows: readonly AuditRow[]): Promise<readonly Delivery[]> {
    const deliveries: Delivery[] = [];
    for (const row of rows) {
      const account = await this.#nameAccount(row.accountId ?? "");
      for (const one of readAudited(row)) deliveries.push(...routeTo(on, one, account, this.#nowMs()));
    }
    return deliveries;
  }

  async #nameAccount(id: string): Promise<string | null> {
    return id === "" ? null : ((await this.#parts.store.account(id))?.name ?? null);
  }

  /** Nobody will send what waits for an endpoint that the configuration no longer has. */
  async #buryStray(): Promise<void> {
    const { store, endpoints } = this.#parts;
    const known = new Set(endpoints().map(({ id }) => id));
    const stray = (await store.webhooks.waitingEndpoints()).filter((id) => !known.has(id));
    for (const id of stray) await store.webhooks.bury(id, "its endpoint is no longer in the configuration");
  }

  #start(endpoint: Endpoint, isOff: boolean): void {
    const { id } = endpoint;
    if (this.#running.has(id)) return;
    const run = this.#drain(endpoint, isOff)
      .catch((error: unknown) => {
        if (!this.#isStopped)
          this.#parts.log({ event: "webhooks_failed", level: "warn", cause: String(error) });
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, run);
  }

  /** Sends what is due, until nothing is, the endpoint wants to rest, or another node may have taken over. */
  async #drain(endpoint: Endpoint, isOff: boolean): Promise<void> {
    const { atOnce, isChat } = FORMS[endpoint.form];
    for (;;) {
      const nowMs = this.#nowMs();
      if (nowMs >= this.#leasedUntilMs) return;
      const messages = await this.#listMessages(endpoint, nowMs);
      await Promise.all(messages.map((message) => this.#attempt(endpoint, message, isOff)));
      if (messages.length < atOnce || isChat) return;
    }
  }

  /** Returns what is sent next, each with what goes along. An endpoint that rests gets what was sent again alone. */
  async #listMessages(endpoint: Endpoint, nowMs: number): Promise<readonly DeliveryMessage[]> {
    const { webhooks } = this.#parts.store;
    const { atOnce, isChat } = FORMS[endpoint.form];
    const due = isChat
      ? await webhooks.due(endpoint.id, nowMs, ALIKE_MAX, FIRST_IN_CHATS)
      : await webhooks.due(endpoint.id, nowMs, atOnce);
    const isResting = (this.#restsUntilMs.get(endpoint.id) ?? 0) > nowMs;
    const sent = isResting ? due.filter(({ reason }) => reason === SENT_AGAIN) : due;
    const [first, ...others] = sent;
    if (!isChat || first === undefined) return sent.map((delivery) => ({ delivery, alike: [] }));
    const { type, accountId } = first;
    return [
      { delivery: first, alike: others.filter((one) => one.type === type && one.accountId === accountId) },
    ];
  }

  async #attempt(endpoint: Endpoint, { delivery, alike }: DeliveryMessage, isOff: boolean): Promise<void> {
    const { webhooks } = this.#parts.store;
    const answer = await sendDelivery(this.#parts, endpoint, delivery, alike);
    if (answer.kind === "gone") return this.#switchOff(endpoint, delivery, answer.status);
    const [luck = 0] = this.#parts.random.bytes(1);
    for (const one of [delivery, ...alike]) {
      if (answer.kind === "failed") {
        await this.#recordFailure(endpoint, one, answer, luck);
        continue;
      }
      await webhooks.remove(one.id);
      this.#note("webhook_delivered", "debug", endpoint, one, {});
    }
    // A delivery that was sent again by hand shows that the receiver is back.
    if (isOff && answer.kind === "accepted") await webhooks.switchOff(endpoint.id, null);
  }

  async #switchOff(endpoint: Endpoint, delivery: Delivery, status: number): Promise<void> {
    const { webhooks } = this.#parts.store;
    const reason = `status ${status}: the receiver is gone, so the endpoint is switched off`;
    const attempts = delivery.attempts + 1;
    await webhooks.switchOff(endpoint.id, this.#nowMs());
    await webhooks.record(delivery.id, { state: "dead", attempts, dueAtMs: null, status, reason });
    await webhooks.bury(endpoint.id, "the endpoint was switched off, because its receiver is gone");
    this.#note("webhook_off", "error", endpoint, delivery, { status });
  }

  async #recordFailure(
    endpoint: Endpoint,
    delivery: Delivery,
    answer: Extract<Answer, { kind: "failed" }>,
    luck: number,
  ): Promise<void> {
    const nowMs = this.#nowMs();
    if (answer.restMs > 0) this.#restsUntilMs.set(endpoint.id, nowMs + answer.restMs);
    const result = planNext(delivery, answer, nowMs, luck);
    await this.#parts.store.webhooks.record(delivery.id, result);
    const { attempts, status, reason } = result;
    const event = result.state === "dead" ? "webhook_dead" : "webhook_failed";
    this.#note(event, "warn", endpoint, delivery, { attempts, status, reason });
  }

  #note(
    event: "webhook_delivered" | "webhook_failed" | "webhook_dead" | "webhook_off",
    level: "debug" | "warn" | "error",
    { url, form }: Endpoint,
    { webhookId: webhook_id, type }: Delivery,
    more: Readonly<Record<string, unknown>>,
  ): void {
    this.#parts.log({ event, level, host: new URL(url).host, form, webhook_id, type, ...more });
  }
}
