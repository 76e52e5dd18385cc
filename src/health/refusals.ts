// Remembers for a while which orders and fields the servers of models have refused, beside those that the operator set.
import { readAccount } from "../core/keys/key.ts";
import type { ModelCard } from "../core/models/card.ts";
import { isRefused, type Refusal } from "../core/models/refusals.ts";

/** A server's template may be changed. After this time it is asked in the client's own order again. */
const KEPT_MS = 3_600_000;
/** Clients may invent names of models. */
const CARDS_MAX = 2000;
/** Beyond this number of payers that met a refusal, the one that met it first is forgotten. */
const PAYERS_MAX = 64;

/** When a refusal ends, by the payers that met it. */
type Witnesses = Map<string, number>;

interface RefusalRecord {
  readonly witnesses: Witnesses;
  /** The time until which an answer to a call without what is refused shows that nothing else was the reason. */
  answeredUntilMs: number;
}

/** Times are on the monotonic clock. */
export class LearnedRefusals {
  /** False until a server refuses something: then only the operator's words count. */
  isInUse = false;
  /** By the card's id. The cards that learned last stand at the end. */
  readonly #learned = new Map<string, Map<Refusal, RefusalRecord>>();

  /** Returns everything that the model is known to refuse to a payer. Undefined if that is nothing. */
  list(card: ModelCard, nowMs: number, payer: string): ReadonlySet<Refusal> | undefined {
    const learned = this.#learned.get(card.id);
    if (learned === undefined) return card.refuses;
    const all = new Set(card.refuses);
    for (const [refusal, record] of learned)
      if (isKnownTo(payer, record, nowMs) && isRefused(card, refusal, true)) all.add(refusal);
    return all;
  }

  /** A payer's request met these refusals. */
  learn(card: ModelCard, refusals: readonly Refusal[], nowMs: number, payer: string): void {
    this.isInUse = true;
    const known = this.#learned.get(card.id) ?? new Map<Refusal, RefusalRecord>();
    for (const refusal of refusals) {
      const { witnesses } = known.getOrInsertComputed(refusal, makeRecord);
      witnesses.delete(payer);
      witnesses.set(payer, nowMs + KEPT_MS);
      dropFirst(witnesses, PAYERS_MAX);
    }
    this.#learned.delete(card.id);
    this.#learned.set(card.id, known);
    dropFirst(this.#learned, CARDS_MAX);
  }

  /** The model answered a call from which these had been left out after it refused them. */
  confirm({ id }: ModelCard, refusals: readonly Refusal[], nowMs: number): void {
    for (const refusal of refusals) {
      const record = this.#learned.get(id)?.get(refusal);
      if (record !== undefined) record.answeredUntilMs = nowMs + KEPT_MS;
    }
  }
}

const makeRecord = (): RefusalRecord => ({ witnesses: new Map(), answeredUntilMs: 0 });

/** True if the payer met it, or if a mended call was answered and two others met it: of two accounts, or of the payer's own. */
function isKnownTo(payer: string, { witnesses, answeredUntilMs }: RefusalRecord, nowMs: number): boolean {
  if ((witnesses.get(payer) ?? 0) > nowMs) return true;
  if (answeredUntilMs <= nowMs) return false;
  const account = readAccount(payer);
  const accounts = new Set<string>();
  let own = 0;
  for (const [witness, untilMs] of witnesses) {
    if (untilMs <= nowMs) continue;
    const theirs = readAccount(witness);
    accounts.add(theirs);
    if (theirs === account) own++;
  }
  return accounts.size > 1 || own > 1;
}

function dropFirst(entries: Map<string, unknown>, most: number): void {
  const [first] = entries.keys();
  if (entries.size > most && first !== undefined) entries.delete(first);
}
