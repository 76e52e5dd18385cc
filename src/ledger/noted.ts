// Requests that hold nothing but their places: they are noted in their day's meter, which is written anyway, and have no hold.
import type { Admission, Answer, GrantAnswer, Reads, Settlement, Unnoting } from "../core/demand.ts";
import { makeNotedHold } from "../core/noted-hold.ts";
import type { Hold, Meter, NotedRequest, Place } from "../core/rows.ts";
import { makeMeter } from "./allowance.ts";
import type { Books } from "./books.ts";

/** Further ones have holds: a meter is written as a whole, and PostgreSQL stores rows above 2 KB elsewhere. */
const NOTED_MAX = 40;

const NONE: readonly NotedRequest[] = [];

/** Notes an admitted request. False if it needs a hold. */
export function note(books: Books, demand: Admission, granted: GrantAnswer): boolean {
  const { noting, accountId, keyId, id, node, nowMs: atMs, operation, surface } = demand;
  if (noting === undefined || !holdsNothing(demand, granted)) return false;
  const { owner, day, places } = granted.place;
  const meter =
    books.findMeter(accountId, owner, day) ?? makeMeter({ accountId, owner, day, lastAtMs: atMs });
  const isTheirs = noting.owner === owner && noting.day === day;
  const noted = meter.noted ?? NONE;
  const others = isTheirs ? omit(noted, noting.ended) : noted;
  if (others.length >= NOTED_MAX) return false;
  const own = { id, node, atMs, operation, surface, keyId: keyId === owner ? null : keyId, places };
  books.putMeter({ ...meter, noted: [...others, own] });
  return true;
}

function holdsNothing({ isEntry, idempotency }: Admission, { place, holdNanoUsd }: GrantAnswer): boolean {
  const { kind, slots, freeNanoUsd, uses } = place;
  if (holdNanoUsd > 0 || freeNanoUsd !== null || slots > 0 || uses !== undefined) return false;
  return (kind === "allowance" || kind === "unlimited") && idempotency === null && isEntry !== true;
}

function omit(noted: readonly NotedRequest[], ids: readonly string[]): readonly NotedRequest[] {
  return ids.length === 0 || noted.length === 0 ? noted : noted.filter(({ id }) => !ids.includes(id));
}

interface Noted {
  readonly meter: Meter;
  readonly request: NotedRequest;
}

function findNoted(books: Books, { accountId, owners, days }: Reads, id: string): Noted | null {
  for (const owner of owners) {
    for (const day of days) {
      const meter = books.findMeter(accountId, owner, day);
      if (!meter?.noted) continue;
      for (const request of meter.noted) if (request.id === id) return { meter, request };
    }
  }
  return null;
}

/** Returns what stands for the hold of a noted request that is open. `place` is its admission's, if it is known. */
export function findOpen(
  books: Books,
  { reads }: Pick<Settlement, "reads">,
  id: string,
  place: Place | null,
): Hold | null {
  const noted = findNoted(books, reads, id);
  // Its row is its settlement, and there is only one row with its id.
  if (noted === null || books.findRequest(id) !== null) return null;
  return makeNotedHold(noted.meter, noted.request, place);
}

/** Removes a request from the meter that notes it, if one does. */
export function removeNote(books: Books, reads: Reads, id: string): void {
  const noted = findNoted(books, reads, id);
  if (noted !== null) putWithout(books, noted.meter, [id]);
}

export function removeNotes(books: Books, { accountId, owner, day, ids }: Unnoting): Answer {
  const meter = books.findMeter(accountId, owner, day);
  if (meter?.noted) putWithout(books, meter, ids);
  return { kind: "unnoted" };
}

function putWithout(books: Books, meter: Meter, ids: readonly string[]): void {
  const left = omit(meter.noted ?? NONE, ids);
  if (left.length !== meter.noted?.length) books.putMeter({ ...meter, noted: left.length > 0 ? left : null });
}
