// Places: what an admitted request takes of its owner's day, and what of it comes back when the request was failed.
import type { GiveBack } from "../core/demand.ts";
import type { NanoUsd } from "../core/money.ts";
import { type Hold, makeMeterId, type Place } from "../core/rows.ts";
import { freshMeter, type OpenDay, type Standing } from "./allowance.ts";
import type { Books } from "./books.ts";

/** The answers a day that come back to an owner without an allowance; any other gets as many as its allowance has. */
const GIVE_BACK_MAX = 200;

/** A request that takes no place: it is paid for, or nothing limits its key. */
export function standAside(
  kind: "balance" | "unlimited",
  { meter: { owner, day } }: OpenDay,
  limit: number | null,
): Place {
  const none = { places: 0, slots: 0, everyMs: 0, taken: null, previous: null };
  return { kind, owner, day, ...none, giveBackMax: limit || GIVE_BACK_MAX, freeNanoUsd: null };
}

export interface Taking {
  /** The completion's id. */
  readonly id: string;
  readonly answers: number;
  readonly nowMs: number;
  /** Milliseconds between two slots of the throttle; 0: there are none. */
  readonly everyMs: number;
  readonly freeNanoUsd: NanoUsd | null;
}

/**
 * Takes a place for each answer: what the allowance has left, then slots of the throttle. A request is let in when one
 * place is free, so the slots may lie ahead: the next request waits for all of them.
 */
export function takePlaces(books: Books, standing: Standing, taking: Taking): Place {
  const { limit, meter, slot } = standing;
  const { answers, nowMs, everyMs, freeNanoUsd } = taking;
  const places = Math.min(answers, Math.max(0, limit - meter.used));
  const slots = everyMs > 0 ? answers - places : 0;
  const { owner, day } = meter;
  if (places > 0 || freeNanoUsd !== null) {
    const lastAtMs = places > 0 ? Math.max(meter.lastAtMs, nowMs) : meter.lastAtMs;
    const freeHeldNanoUsd = meter.freeHeldNanoUsd + (freeNanoUsd ?? 0);
    const used = meter.used + places;
    books.meters.put(makeMeterId(owner, day), { ...meter, used, lastAtMs, freeHeldNanoUsd });
  }
  const taken = slots > 0 ? { atMs: lastSlotAtMs(standing, taking, slots, places), by: taking.id } : null;
  if (taken) books.slots.put(owner, { ...slot, taken });
  const kind = places > 0 ? "allowance" : "throttle";
  const previous = taken ? slot.taken : null;
  const giveBackMax = limit || GIVE_BACK_MAX;
  return { kind, owner, day, places, slots, everyMs, taken, previous, giveBackMax, freeNanoUsd };
}

/** A slot later than the end of tomorrow must come from a wrong clock, and is ignored. */
function lastSlotAtMs(
  { slot, slotsEndMs }: Standing,
  { nowMs, everyMs }: Taking,
  slots: number,
  places: number,
): number {
  const firstAtMs = places > 0 ? Math.max(nowMs, slot.taken?.atMs ?? 0) + everyMs : nowMs;
  return Math.min(firstAtMs + (slots - 1) * everyMs, slotsEndMs - 1);
}

/**
 * Returns the places that the provider or the gateway failed to serve to their owner, within its bound for the day. False:
 * some of them didn't come back.
 */
export function returnPlaces(books: Books, { accountId, atMs, place }: Hold, giveBack: GiveBack): boolean {
  const { answers, isBounded, beyond } = giveBack;
  const id = makeMeterId(place.owner, place.day);
  const meter = books.meters.get(id) ?? freshMeter({ accountId, owner: place.owner, day: place.day, atMs });
  // A request that is paid for, or has no limit, took no place: only refusals are counted, because they would be charged.
  const isCounted = isBounded && (place.places + place.slots > 0 || beyond !== null);
  const back = isCounted ? Math.min(answers, Math.max(0, place.giveBackMax - meter.givenBack)) : answers;
  // Slots were taken last, so they come back first.
  const slots = Math.min(back, place.slots);
  const places = Math.min(back - slots, place.places);
  returnSlots(books, place, slots);
  if (places > 0 || (isCounted && back > 0)) {
    const used = Math.max(0, meter.used - places);
    books.meters.put(id, { ...meter, used, givenBack: meter.givenBack + (isCounted ? back : 0) });
  }
  return back === answers;
}

/** A slot goes back only while it is still the one that this request took. */
function returnSlots(books: Books, { owner, taken, previous, slots, everyMs }: Place, count: number): void {
  const slot = books.slots.get(owner);
  if (count === 0 || taken === null || slot?.taken?.by !== taken.by) return;
  const left = count === slots ? previous : { by: taken.by, atMs: taken.atMs - count * everyMs };
  books.slots.put(owner, { ...slot, taken: left });
}

/** Releases what was held of the day's budget for free requests, and counts what the request cost. */
export function settleFree(books: Books, place: Place, costNanoUsd: NanoUsd): void {
  if (place.freeNanoUsd === null) return;
  const id = makeMeterId(place.owner, place.day);
  const meter = books.meters.get(id);
  if (!meter) return;
  books.meters.put(id, {
    ...meter,
    freeHeldNanoUsd: Math.max(0, meter.freeHeldNanoUsd - place.freeNanoUsd),
    freeSpentNanoUsd: meter.freeSpentNanoUsd + costNanoUsd,
  });
}
