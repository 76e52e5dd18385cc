// Counts refusals by key, model, code and minute, in bounded rings, until they are added to the store.
import { createHash } from "node:crypto";
import { readProvider } from "../core/log/outcome.ts";
import { isKept, type Refusal } from "../core/log/refusal.ts";
import { MANY, type RefusalCount, type TakenRefusals } from "../core/log/refusal-log.ts";
import type { UsageSum } from "../core/log/usage-sum.ts";
import { NO_AMOUNTS } from "../core/money/units.ts";
import type { LogEvent } from "../core/world/world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Keys, or last characters of unknown secrets, that have a ring of their own between two writes. */
const KEYS_MAX = 10_000;
/** The rows of a ring. Further ones of the key are counted in one row for each code. */
const RING_MAX = 32;
/** The rows of all rings together. */
const ROWS_MAX = 20_000;
/** The sums of keys' hours between two writes. Further ones are not summed. */
const SUMS_MAX = 20_000;
const ID_CHARACTERS = 20;

type Ring = Map<string, RefusalCount>;

export class Refusals {
  readonly #nowMs: () => number;
  /** By key, or by the last characters of an unknown secret. */
  #rings = new Map<string, Ring>();
  #sums = new Map<string, UsageSum>();
  #rows = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Counts the refusal of a log event. Other events are ignored. */
  readonly count = ({ refusal }: LogEvent): void => {
    if (refusal === undefined) return;
    const atMs = this.#nowMs();
    if (isKept(refusal)) this.#countRow(refusal, atMs);
    this.#countSum(refusal, atMs);
  };

  /** Returns everything counted and starts again. */
  take(): TakenRefusals {
    const counts = [...this.#rings.values()].flatMap((ring) => [...ring.values()]);
    const sums = [...this.#sums.values()];
    this.#rings = new Map();
    this.#sums = new Map();
    this.#rows = 0;
    return { counts, sums };
  }

  /** Counts again what couldn't be written. */
  restore({ counts, sums }: TakenRefusals): void {
    for (const count of counts) this.#add(count);
    for (const sum of sums) this.#addSum(sum);
  }

  #countRow(refusal: Refusal, atMs: number): void {
    const { keyId, last4, shape, modelAsked, route, address, code, status, limit, resetAtMs } = refusal;
    const accountId = refusal.accountId ?? "";
    const fields = {
      keyId,
      accountId,
      last4,
      shape,
      modelAsked,
      route,
      address,
      code,
      status,
      limit,
      resetAtMs,
    };
    this.#add({ ...fields, atMs, count: 1 });
  }

  #add(counted: RefusalEntry): void {
    const owner = `${counted.keyId ?? ""} ${counted.last4 ?? ""}`;
    const ring = this.#rings.get(owner);
    if (ring?.has(findPlace(counted))) this.#addTo(ring, counted);
    else if (this.#rows >= ROWS_MAX || (ring === undefined && this.#rings.size >= KEYS_MAX)) {
      const shared = { ...summarize(counted), keyId: null, accountId: "", last4: null, shape: null };
      this.#addTo(this.#rings.getOrInsertComputed("", makeRing), shared);
    } else {
      const isFull = ring !== undefined && ring.size >= RING_MAX;
      this.#addTo(
        ring ?? this.#rings.getOrInsertComputed(owner, makeRing),
        isFull ? summarize(counted) : counted,
      );
    }
  }

  /** The row shows its latest refusal. */
  #addTo(ring: Ring, counted: RefusalEntry): void {
    const place = findPlace(counted);
    const known = ring.get(place);
    if (known === undefined) this.#rows++;
    const latest = known !== undefined && known.atMs > counted.atMs ? known : counted;
    const count = (known?.count ?? 0) + counted.count;
    ring.set(place, { ...latest, id: known?.id ?? nameRow(counted), count });
  }

  #countSum(refusal: Refusal, atMs: number): void {
    const { keyId, accountId, operation, surface, modelPlanned: model, outcome, hasRow } = refusal;
    if (hasRow || keyId === null || accountId === null || !operation || !surface || model === null) return;
    this.#addSum({
      hourMs: Math.floor(atMs / HOUR_MS) * HOUR_MS,
      accountId,
      keyId,
      model,
      operation,
      surface,
      outcome,
      member: refusal.memberId ?? "",
      provider: readProvider(model),
      tag: "",
      requests: 1,
      errors: 1,
      amounts: NO_AMOUNTS,
      costNanoUsd: 0,
      markupNanoUsd: 0,
      chargedNanoUsd: 0,
      cached: 0,
      savedNanoUsd: 0,
    });
  }

  #addSum(sum: UsageSum): void {
    const { hourMs, keyId, model, operation, surface, outcome } = sum;
    const place = [hourMs, keyId, model, operation, surface, outcome].join(" ");
    const known = this.#sums.get(place);
    if (known === undefined && this.#sums.size >= SUMS_MAX) return;
    const requests = (known?.requests ?? 0) + sum.requests;
    this.#sums.set(place, { ...sum, requests, errors: requests });
  }
}

type RefusalEntry = Omit<RefusalCount, "id">;

function makeRing(): Ring {
  return new Map();
}

function findMinute({ atMs }: Pick<RefusalEntry, "atMs">): number {
  return Math.floor(atMs / MINUTE_MS);
}

function findPlace(counted: Pick<RefusalEntry, "atMs" | "code" | "modelAsked">): string {
  return `${findMinute(counted)} ${counted.code} ${counted.modelAsked ?? ""}`;
}

/** Leaves out what differs between requests, so that those beyond a bound share a row. */
function summarize(counted: RefusalEntry): RefusalEntry {
  return { ...counted, modelAsked: MANY, address: null, limit: null, resetAtMs: null };
}

/** Returns an id by which every process counts in the same row. */
function nameRow(counted: RefusalEntry): string {
  const { keyId, last4, modelAsked, code } = counted;
  const common = JSON.stringify([keyId, last4, modelAsked, code]);
  const digest = createHash("sha256").update(common).digest("hex");
  return `${findMinute(counted).toString(36)}-${digest.slice(0, ID_CHARACTERS)}`;
}
