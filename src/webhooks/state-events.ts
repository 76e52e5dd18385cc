// Reports states that change, such as a provider's health or the best model, once over all nodes.
import { type EventData, type EventType, makeEvent, type OutboxEvent } from "../core/events/events.ts";
import { readToldStates, writeToldStates } from "../core/events/told-states.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";

/** The same state of a subject is reported once within this time, however often it changes. */
const QUIET_MS = 5 * 60_000;

/** A state that this node sees of something. */
export interface StateReport {
  readonly subject: string;
  readonly state: string;
  /** Null for a state without an event. */
  readonly type: EventType | null;
  /** True if it is reported although nothing is known of the subject. */
  readonly isNews: boolean;
  /** Returns the event's data. `before` is the state before, empty if there was none. */
  readonly describe: (before: string) => EventData;
}

interface StateEventParts {
  readonly store: Pick<Store, "webhooks" | "clockAheadMs">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly seen: () => readonly StateReport[];
}

export class StateEvents {
  readonly #parts: StateEventParts;
  /** The states that this node has seen reported. Nodes that see a subject differently don't argue. */
  readonly #known = new Map<string, string>();

  constructor(parts: StateEventParts) {
    this.#parts = parts;
  }

  /** Reports what has changed since the last call. Throws the Fault `store_unavailable`; then it is reported later. */
  async refresh(): Promise<void> {
    const { store, clock, seen } = this.#parts;
    const changed = seen().filter(({ subject, state }) => this.#known.get(subject) !== state);
    if (changed.length === 0) return;
    const atMs = clock.nowMs() + (store.clockAheadMs() ?? 0);
    let settled: readonly StateReport[] = [];
    await store.webhooks.tell((told) => {
      const report = reportStates(told, changed, atMs);
      settled = report.settled;
      return report.change;
    });
    for (const { subject, state } of settled) this.#known.set(subject, state);
  }
}

/** Returns the new states with their events, and what needs no further report by this node. */
function reportStates(told: string, seen: readonly StateReport[], atMs: number) {
  const states = readToldStates(told);
  const events: OutboxEvent[] = [];
  const settled: StateReport[] = [];
  for (const one of seen) {
    const { subject, state, type } = one;
    const before = states.get(subject);
    const recent = Object.entries(before?.reported ?? {}).filter(([, lastMs]) => lastMs > atMs - QUIET_MS);
    const isSame = before?.state === state;
    if (!isSame && recent.some(([name]) => name === state)) continue;
    settled.push(one);
    if (isSame) continue;
    const isReported = before !== undefined || one.isNews;
    const now = isReported ? { [state]: atMs } : {};
    states.set(subject, { state, reported: { ...Object.fromEntries(recent), ...now } });
    const data = one.describe(before?.state ?? "");
    if (isReported && type !== null) events.push(makeEvent(type, subject, { accountId: "", atMs, data }));
  }
  const change = { told: writeToldStates(states), events };
  return { settled, change: change.told === told ? null : change };
}
