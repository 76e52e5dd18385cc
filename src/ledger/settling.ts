// Settlements as demands on the store: of requests that end, and of those whose node died.
import type { Claim, Reads, Settlement, SettlementAnswer } from "../core/demand.ts";
import { findTagDay } from "../core/log/tags.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { Place } from "../core/rows.ts";
import { LIMIT_RULES } from "../core/settings.ts";
import type { Orphan, Store } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";
import type { LedgerRules } from "./allowance.ts";
import { requireSettled } from "./answers.ts";
import { lostRecord, readsOfHold, resolveEach } from "./lost.ts";
import type { Notes } from "./notes.ts";
import { makeLostOutcome, type Outcome } from "./outcome.ts";
import { settleLine } from "./unread.ts";

export interface SettlingParts {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  /** Read for each decision, so a reload applies at once. */
  readonly rules: () => LedgerRules;
  readonly notes: Notes;
}

/** The terms of the admission that a settlement needs. */
interface SettledAsk {
  readonly idempotency: Claim | null;
  readonly ceilingNanoUsd?: NanoUsd | null;
}

interface SettlingTerms {
  readonly reads: Reads;
  /** The rules to admit by; `reads` depends on them. */
  readonly rules: LedgerRules;
}

/** A request's way from its admission to its settlement. */
export interface SettledTicket extends SettlingTerms {
  readonly ask: SettledAsk & { readonly id: string; readonly key: { readonly accountId: string } };
  /** The place of a noted request. Null for all others. */
  noted: Place | null;
  /** True once its settlement was tried, and so may be written. */
  isTried: boolean;
}

/** The first settlement of a noted request needs only its meter. Any other finds its row, if that was written after all. */
export function settleTicket(
  parts: SettlingParts,
  ticket: SettledTicket,
  outcome: Outcome,
): Promise<SettlementAnswer> {
  const { ask, reads, rules, noted, isTried } = ticket;
  const { accountId } = ask.key;
  if (noted === null) return write(parts, accountId, ticket, ask, outcome);
  const placed = outcome.place ? outcome : { ...outcome, place: noted };
  if (isTried) return write(parts, accountId, ticket, ask, placed);
  ticket.isTried = true;
  const { notes, clock, store } = parts;
  const own = { reads: { ...reads, isNew: "noted" as const }, rules };
  notes.settling.add(ask.id);
  return store.transact(makeSettlement(parts, accountId, own, ask, placed)).then((answer) => {
    const settled = requireSettled(answer);
    notes.settling.delete(ask.id);
    notes.end(accountId, noted, ask.id, clock.nowMs());
    return settled;
  });
}

function write(
  parts: SettlingParts,
  accountId: string,
  ticket: SettlingTerms,
  ask: SettledAsk,
  outcome: Outcome,
): Promise<SettlementAnswer> {
  const demand = makeSettlement(parts, accountId, ticket, ask, outcome);
  if (!outcome.makeUnread) return parts.store.transact(demand).then(requireSettled);
  return settleLine(parts.store, demand, outcome.makeUnread, (unread) =>
    write(parts, accountId, ticket, ask, unread),
  );
}

export function makeSettlement(
  { clock }: SettlingParts,
  accountId: string,
  { reads, rules: { quota, ownerLimits: limits = LIMIT_RULES } }: SettlingTerms,
  { idempotency, ceilingNanoUsd = null }: SettledAsk,
  outcome: Outcome,
): Settlement {
  const { record, produced, isDue, giveBack, sealedReply, place = null, note = null, hookCost } = outcome;
  return {
    kind: "settle",
    accountId,
    nowMs: clock.nowMs(),
    record,
    produced,
    isDue,
    ceilingNanoUsd,
    limits,
    quota,
    giveBack,
    sealedReply,
    idempotency,
    place,
    note,
    hookCost,
    reads: record.tags === null ? reads : { ...reads, tagDayMs: findTagDay(record.atMs) },
  };
}

const NO_ASK: SettledAsk = { idempotency: null };

/** Returns the ids of all completions of this process that may have a hold. */
export type ListRunning = () => readonly string[];

/** Holds are stranded for good, so there is no hurry; admissions under way and clocks that differ have time. */
const STRANDED_AFTER_MS = 10_000;

export async function resolveLost(parts: SettlingParts, listRunning?: ListRunning): Promise<number> {
  const { store, clock, notes } = parts;
  await notes.nodes.renew(clock.nowMs());
  const dead = await notes.nodes.listDead();
  const mayBeStranded = listRunning !== undefined && notes.takeFailed(listRunning());
  const noting = mayBeStranded ? [...dead, store.node] : dead;
  /** Made before the holds are read: what begins or ends meanwhile isn't taken for stranded. */
  const findRunning = (list: ListRunning) => ({
    ids: list(),
    beforeMs: clock.nowMs() + (store.clockAheadMs() ?? 0) - STRANDED_AFTER_MS,
  });
  const outcome = (hold: Orphan) => makeLostOutcome(lostRecord(hold), hold.place.places + hold.place.slots);
  const resolve = (hold: Orphan) =>
    hold.hasEnded === true
      ? notes.remove(hold, clock.nowMs())
      : write(
          parts,
          hold.accountId,
          { reads: readsOfHold(hold), rules: parts.rules() },
          NO_ASK,
          outcome(hold),
        );
  const count = await resolveEach(
    (max) => store.orphans(max, listRunning ? findRunning(listRunning) : null, noting),
    resolve,
  );
  await notes.nodes.forget(dead, clock.nowMs());
  await notes.write(clock.nowMs());
  return count;
}
