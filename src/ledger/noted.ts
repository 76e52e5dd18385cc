// Requests that hold nothing but their places: they are noted in their day's meter, which is written anyway, and have no hold.
import type { Admission, Answer, GrantAnswer, Reads, Settlement, Unnoting } from "../core/demand.ts";
import { makeNotedHold } from "../core/noted-hold.ts";
import type { Hold, Meter, NotedRequest, Place } from "../core/rows.ts";
import { makeMeter } from "./allowance.ts";
import type { Books } from "./books.ts";

/** The most requests that a meter notes. Those beyond have holds: a meter is written as a whole. */
const NOTED_MAX = 40;

const NONE: readonly NotedRequest[] = [];
const NO_IDS: readonly string[] = [];

/** Notes an admitted request. False if it needs a hold. */
export function note(books: Books, demand: Admission, granted: GrantAnswer): boolean {
  const { noting = null, accountId, keyId, id, node, nowMs: atMs, operation, surface } = demand;
  if (noting === null || !holdsNothing(granted)) return false;
  const { owner, day, places } = granted.place;
  const meter =
    books.findMeter(accountId, owner, day) ?? makeMeter({ accountId, owner, day, lastAtMs: atMs });
  const isTheirs = noting.owner === owner && noting.day === day;
  const noted = omit(meter.noted ?? NONE, isTheirs ? noting.ended : NO_IDS);
  if (noted.length >= NOTED_MAX) return false;
  noted.push({ id, node, atMs, operation, surface, keyId: keyId === owner ? null : keyId, places });
  books.putMeter({ ...meter, noted });
  return true;
}

/** Its owners have no limits that count it, and nobody else waits for it. */
function holdsNothing({ place, holdNanoUsd }: GrantAnswer): boolean {
  const { kind, slots, freeNanoUsd, uses } = place;
  if (holdNanoUsd > 0 || freeNanoUsd !== null || slots > 0 || uses !== undefined) return false;
  return kind === "allowance" || kind === "unlimited";
}

/** Returns the others, in a list of their own. */
function omit(noted: readonly NotedRequest[], ids: readonly string[]): NotedRequest[] {
  const others: NotedRequest[] = [];
  for (const one of noted) if (!ids.includes(one.id)) others.push(one);
  return others;
}

function findNote({ noted }: Meter, id: string): NotedRequest | null {
  if (noted !== null) for (const one of noted) if (one.id === id) return one;
  return null;
}

/** Returns the meter that notes the request. */
function findNoting(books: Books, { accountId, owners, days }: Reads, id: string): Meter | null {
  for (const owner of owners) {
    for (const day of days) {
      const meter = books.findMeter(accountId, owner, day);
      if (meter !== null && findNote(meter, id) !== null) return meter;
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
  const meter = findNoting(books, reads, id);
  const request = meter && findNote(meter, id);
  // Its row is its settlement, and there is only one row with its id.
  if (meter === null || request === null || books.findRequest(id) !== null) return null;
  return makeNotedHold(meter, request, place);
}

/** Removes a request from the meter that notes it, if one does. */
export function removeNote(books: Books, reads: Reads, id: string): void {
  const meter = findNoting(books, reads, id);
  if (meter !== null) putWithout(books, meter, [id]);
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
