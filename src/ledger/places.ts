// Places: what an admitted request takes of its owner's day, and what is returned if it was not served.
import type { GiveBack } from "../core/demand.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { Hold, Place } from "../core/rows.ts";
import { makeMeter, type OpenDay, type Standing } from "./allowance.ts";
import type { Books } from "./books.ts";
import { recordUsedUp } from "./limits/exceeded.ts";

/** Answers returned per day to an owner without an allowance. With one, the allowance is the bound. */
const GIVE_BACK_MAX = 200;

/** Returns the place of a request that takes none: it is paid for, or its key is unlimited. */
export function takeNoPlace(
  kind: "balance" | "unlimited",
  { meter: { owner, day } }: OpenDay,
  limit: number | null,
): Place {
  return { ...NO_PLACE, kind, owner, day, giveBackMax: limit || GIVE_BACK_MAX };
}

const NO_PLACE = { places: 0, slots: 0, everyMs: 0, taken: null, previous: null, freeNanoUsd: null };

interface Taking {
  readonly id: string;
  readonly answers: number;
  readonly nowMs: number;
  /** Milliseconds between two slots of the throttle. 0 without a throttle. */
  readonly everyMs: number;
  readonly freeNanoUsd: NanoUsd | null;
}

/**
 * Takes a place for each answer: first from the allowance, then from the throttle. A request is admitted if one place
 * is free, so its slots may lie ahead: the next request waits for all of them.
 */
export function takePlaces(books: Books, standing: Standing, taking: Taking): Place {
  const { limit, meter, counted, state } = standing;
  const { answers, nowMs, everyMs, freeNanoUsd } = taking;
  const places = Math.min(answers, Math.max(0, limit - counted.used));
  const slots = everyMs > 0 ? answers - places : 0;
  const { owner, day } = meter;
  if (places > 0 || freeNanoUsd !== null) {
    const lastAtMs = places > 0 ? Math.max(meter.lastAtMs, nowMs) : meter.lastAtMs;
    const freeHeldNanoUsd = meter.freeHeldNanoUsd + (freeNanoUsd ?? 0);
    const used = meter.used + places;
    books.putMeter({ ...meter, used, lastAtMs, freeHeldNanoUsd });
    if (places > 0 && used >= limit) recordUsedUp(books, meter, { limit, nowMs });
  }
  const taken = slots > 0 ? { atMs: lastSlotAtMs(standing, taking, slots, places), by: taking.id } : null;
  if (taken) books.putOwner({ ...state, taken });
  // A request that takes no place is let in by the allowance alone.
  const kind = places > 0 || answers === 0 ? "allowance" : "throttle";
  const previous = taken ? state.taken : null;
  const giveBackMax = limit || GIVE_BACK_MAX;
  return { kind, owner, day, places, slots, everyMs, taken, previous, giveBackMax, freeNanoUsd };
}

/** Stays before the end of tomorrow: a later slot would look like the mistake of a wrong clock and be ignored. */
function lastSlotAtMs(
  { state, slotsEndMs }: Standing,
  { nowMs, everyMs }: Taking,
  slots: number,
  places: number,
): number {
  const firstAtMs = places > 0 ? Math.max(nowMs, state.taken?.atMs ?? 0) + everyMs : nowMs;
  return Math.min(firstAtMs + (slots - 1) * everyMs, slotsEndMs - 1);
}

/**
 * Returns to their owner the places that the provider or the gateway failed to serve, up to the daily bound. False if
 * some were not returned.
 */
export function returnPlaces(books: Books, { accountId, atMs, place }: Hold, giveBack: GiveBack): boolean {
  const { answers, isBounded, beyond } = giveBack;
  const { owner, day } = place;
  const meter =
    books.findMeter(accountId, owner, day) ?? makeMeter({ accountId, owner, day, lastAtMs: atMs });
  // A paid or unlimited request took no place. Only its refusals are counted, because they would be charged.
  const isCounted = isBounded && (place.places + place.slots > 0 || beyond !== null);
  const back = isCounted ? Math.min(answers, Math.max(0, place.giveBackMax - meter.givenBack)) : answers;
  // Slots were taken last, so they are returned first.
  const slots = Math.min(back, place.slots);
  const places = Math.min(back - slots, place.places);
  returnSlots(books, accountId, place, slots);
  if (places > 0 || (isCounted && back > 0)) {
    const used = Math.max(0, meter.used - places);
    books.putMeter({ ...meter, used, givenBack: meter.givenBack + (isCounted ? back : 0) });
  }
  return back === answers;
}

/** Returns slots only if no later request has taken one. */
function returnSlots(
  books: Books,
  accountId: string,
  { owner, taken, previous, slots, everyMs }: Place,
  count: number,
): void {
  const state = books.page(accountId, owner).state.row;
  if (count === 0 || taken === null || state?.taken?.by !== taken.by) return;
  const left = count === slots ? previous : { by: taken.by, atMs: taken.atMs - count * everyMs };
  books.putOwner({ ...state, taken: left });
}

/** Adds the cost of a request to the day's budget for free requests, after its hold there was released. */
export function addFreeCost(books: Books, accountId: string, place: Place, costNanoUsd: NanoUsd): void {
  const freeNanoUsd = place.freeNanoUsd === null ? null : 0;
  settleFreeBudget(books, { accountId, place: { ...place, freeNanoUsd } }, costNanoUsd);
}

/** Releases the hold on the day's budget for free requests, and adds the actual cost. */
export function settleFreeBudget(
  books: Books,
  { accountId, place }: Pick<Hold, "accountId" | "place">,
  costNanoUsd: NanoUsd,
): void {
  if (place.freeNanoUsd === null) return;
  const meter = books.findMeter(accountId, place.owner, place.day);
  if (!meter) return;
  books.putMeter({
    ...meter,
    freeHeldNanoUsd: Math.max(0, meter.freeHeldNanoUsd - place.freeNanoUsd),
    freeSpentNanoUsd: meter.freeSpentNanoUsd + costNanoUsd,
  });
}
