// Reports providers that go down and come back, and credentials that their provider refuses, once over all nodes.
import { type EventType, makeEvent, type OutboxEvent } from "../core/events.ts";
import type { ProviderHealth } from "../core/health.ts";
import { asNumber, asObject, asString, parseJson } from "../core/json.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";

/** The same state of a provider is reported once within this time, however often it changes. */
const QUIET_MS = 5 * 60_000;

interface State {
  readonly state: string;
  /** When each state was last reported, in Unix milliseconds. */
  readonly reported: Readonly<Record<string, number>>;
}

/** A state that this node sees of something. */
interface Seen {
  readonly subject: string;
  readonly state: string;
  /** Null for a state without an event. */
  readonly type: EventType | null;
  readonly data: Readonly<Record<string, unknown>>;
}

interface HealthEventParts {
  readonly store: Pick<Store, "webhooks" | "clockAheadMs">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly health: () => readonly ProviderHealth[];
}

export class HealthEvents {
  readonly #parts: HealthEventParts;
  /** The states that this node has seen reported. Nodes that see a provider differently don't argue. */
  readonly #known = new Map<string, string>();

  constructor(parts: HealthEventParts) {
    this.#parts = parts;
  }

  /** Reports what has changed since the last call. Throws the Fault `store_unavailable`; then it is reported later. */
  async refresh(): Promise<void> {
    const { store, clock, health } = this.#parts;
    const changed = health()
      .flatMap(listStates)
      .filter(({ subject, state }) => this.#known.get(subject) !== state);
    if (changed.length === 0) return;
    const atMs = clock.nowMs() + (store.clockAheadMs() ?? 0);
    let settled: readonly Seen[] = [];
    await store.webhooks.tell((told) => {
      const report = reportStates(told, changed, atMs);
      settled = report.settled;
      return report.change;
    });
    for (const { subject, state } of settled) this.#known.set(subject, state);
  }
}

/** A provider is down if it gets no requests, and up if its last call succeeded. Before its first call it is neither. */
function listStates({
  name,
  breaker,
  failingSinceMs,
  lastFailure,
  credentials,
}: ProviderHealth): readonly Seen[] {
  const isRefused = credentials.length > 0 && credentials.every(({ state }) => state === "retired");
  const isCalled = lastFailure !== null || credentials.some(({ calledAtMs }) => calledAtMs !== null);
  const provider = { subject: `provider ${name}`, data: { provider: name, name } };
  const isDown = breaker === "open" || isRefused;
  const isUp = breaker === "closed" && failingSinceMs === null && isCalled;
  const { message = null, upstreamStatus = null } = lastFailure ?? {};
  const reason = isRefused
    ? "every credential is refused"
    : (message ?? (upstreamStatus && `status ${upstreamStatus}`));
  const down = {
    ...provider,
    state: "down",
    type: "provider.down",
    data: { ...provider.data, reason },
  } as const;
  const up = { ...provider, state: "up", type: "provider.up" } as const;
  return [...(isDown ? [down] : []), ...(isUp && !isDown ? [up] : []), ...listCredentials(name, credentials)];
}

/** Credentials are told apart by their last characters: of those with the same, a refused one counts. */
function listCredentials(provider: string, credentials: ProviderHealth["credentials"]): readonly Seen[] {
  return [...new Set(credentials.map(({ last4 }) => last4))].map((last4) => {
    const retired = credentials.find((one) => one.last4 === last4 && one.state === "retired");
    return {
      ...{ subject: `credential ${provider} ${last4 ?? ""}`, state: retired ? "retired" : "active" },
      type: retired ? "credential.retired" : null,
      data: { provider, name: provider, last4, reason: retired?.reason ?? null },
    };
  });
}

/** Returns the new states with their events, and what needs no further report by this node. */
function reportStates(told: string, seen: readonly Seen[], atMs: number) {
  const states = readStates(told);
  const events: OutboxEvent[] = [];
  const settled: Seen[] = [];
  for (const one of seen) {
    const before = states.get(one.subject);
    // Without an earlier report it counts as working.
    const isSame =
      before === undefined ? one.state === "up" || one.state === "active" : before.state === one.state;
    const lastMs = before?.reported[one.state] ?? Number.NEGATIVE_INFINITY;
    if (!isSame && lastMs > atMs - QUIET_MS) continue;
    settled.push(one);
    if (isSame) continue;
    states.set(one.subject, { state: one.state, reported: { ...before?.reported, [one.state]: atMs } });
    if (one.type !== null)
      events.push(makeEvent(one.type, one.subject, { accountId: "", atMs, data: one.data }));
  }
  const change = { told: JSON.stringify(Object.fromEntries(states)), events };
  return { settled, change: change.told === told || states.size === 0 ? null : change };
}

function readStates(told: string): Map<string, State> {
  const stored = Object.entries(asObject(told === "" ? null : parseJson(told)));
  return new Map(
    stored.map(([subject, value]) => {
      const { state, reported } = asObject(value);
      const times = Object.entries(asObject(reported)).map(
        ([name, at]) => [name, asNumber(at) ?? 0] as const,
      );
      return [subject, { state: asString(state) ?? "", reported: Object.fromEntries(times) }];
    }),
  );
}
