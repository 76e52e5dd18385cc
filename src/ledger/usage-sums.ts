// The hourly sums during one batch: of usage, of usage by tag, and of times to the first token.

import type { Decision, Rows } from "../core/decision.ts";
import { findCountedModel, findOutcome, readProvider } from "../core/log/outcome.ts";
import { isError, type RequestOutcome, type RequestRecord } from "../core/log/record.ts";
import { findTagDay, OTHER_TAGS, TAGGED, TAGS_PER_DAY_MAX } from "../core/log/tags.ts";
import type { FirstTokenSum, TagOfDay, UsageSum } from "../core/log/usage-sum.ts";
import { NO_AMOUNTS, UNITS, type Unit } from "../core/money/units.ts";
import { makeTagDayId } from "../core/rows.ts";
import { findBucket } from "../core/world/histogram.ts";
import { addEdge, findHour } from "./money/month.ts";

/** Shared by requests without tags and batches that settle nothing. */
const NONE: readonly never[] = Object.freeze([]);

interface Hour {
  readonly record: RequestRecord;
  readonly hourMs: number;
  readonly isEdge: boolean;
  readonly model: string;
  readonly outcome: RequestOutcome;
  readonly times: 1 | -1;
}

/** A sum that requests are added to in place. */
type Total<Sum> = {
  -readonly [Field in keyof Sum]: Field extends "amounts" ? Record<Unit, number> : Sum[Field];
};
type UsageTotal = Total<UsageSum>;
type FirstTokenTotal = Total<FirstTokenSum>;

const NO_COUNTS = {
  requests: 0,
  errors: 0,
  costNanoUsd: 0,
  markupNanoUsd: 0,
  chargedNanoUsd: 0,
  cached: 0,
  savedNanoUsd: 0,
} as const;

function makeUsage({ record, hourMs, model, outcome }: Hour, tag: string): UsageTotal {
  return {
    hourMs,
    accountId: record.accountId,
    keyId: record.keyId,
    model,
    operation: record.operation,
    surface: record.surface,
    member: record.memberId ?? "",
    provider: readProvider(model),
    outcome,
    tag,
    ...NO_COUNTS,
    amounts: { ...NO_AMOUNTS },
  };
}

function addUsage(total: UsageTotal, { record, isEdge, times }: Hour): void {
  total.requests += times;
  if (isError(record.status)) total.errors += times;
  for (const unit of UNITS) total.amounts[unit] += times * record.amounts[unit];
  total.costNanoUsd += times * record.costNanoUsd;
  total.markupNanoUsd += times * record.markupNanoUsd;
  total.chargedNanoUsd += times * record.chargedNanoUsd;
  if (record.cachedFrom !== null) total.cached += times;
  total.savedNanoUsd += times * record.savedNanoUsd;
  if (isEdge) total.edge = addEdge(total, times, record);
}

function isOf(total: UsageTotal, { record, hourMs, model, outcome }: Hour, tag: string): boolean {
  if (!isSameHour(total, record, hourMs, model)) return false;
  return total.outcome === outcome && total.tag === tag && total.member === (record.memberId ?? "");
}

function isSameHour(
  sum: Omit<FirstTokenSum, "bucket" | "requests">,
  record: RequestRecord,
  hourMs: number,
  model: string,
): boolean {
  return (
    sum.keyId === record.keyId &&
    sum.model === model &&
    sum.hourMs === hourMs &&
    sum.accountId === record.accountId &&
    sum.surface === record.surface &&
    sum.operation === record.operation
  );
}

export class UsageSums {
  /** Those of a batch are few, so they are looked through one by one. */
  readonly usage: UsageTotal[] = [];
  readonly tagUsage: UsageTotal[] = [];
  readonly firstTokens: FirstTokenTotal[] = [];
  /** Each is made once there is something in it. */
  #tagsOfDays: Map<string, Set<string>> | null = null;
  #newTags: TagOfDay[] | null = null;

  /**
   * Counts a request in its hour, and for the statement of the month in which it is settled. With `times` -1, takes back
   * what its earlier row was counted as. Tags are found again as they were: the day's first ones stay what they are.
   */
  add(record: RequestRecord, month: string, times: 1 | -1, stored: Rows["tagsOfDays"]): void {
    const { hourMs, isEdge } = findHour(record.atMs, month);
    const model = findCountedModel(record);
    const outcome = findOutcome(record);
    const hour = { record, hourMs, isEdge, model, outcome, times };
    for (const tag of this.#findTags(record, stored)) count(this.tagUsage, hour, tag);
    count(this.usage, hour, record.tags === null ? "" : TAGGED);
    if (record.stream && record.firstTokenMs !== null)
      this.#countFirst(hour, findBucket(record.firstTokenMs));
  }

  #countFirst({ record, hourMs, model, times }: Hour, bucket: number): void {
    const { firstTokens } = this;
    const known = firstTokens.find((one) => one.bucket === bucket && isSameHour(one, record, hourMs, model));
    if (known === undefined) {
      const { accountId, keyId, operation, surface } = record;
      firstTokens.push({ hourMs, accountId, keyId, model, operation, surface, bucket, requests: times });
    } else known.requests += times;
  }

  /** Returns the tags under which a request is summed: its own, or once `other` for those beyond its day's first ones. */
  #findTags(record: RequestRecord, stored: Rows["tagsOfDays"]): Iterable<string> {
    return record.tags === null ? NONE : this.#sumTags(record, record.tags, stored);
  }

  #sumTags(
    { accountId, atMs }: RequestRecord,
    tags: string,
    stored: Rows["tagsOfDays"],
  ): ReadonlySet<string> {
    const dayMs = findTagDay(atMs);
    const id = makeTagDayId(accountId, dayMs);
    this.#tagsOfDays ??= new Map();
    this.#newTags ??= [];
    const known = this.#tagsOfDays.getOrInsertComputed(id, () => new Set(stored?.get(id)));
    const summed = new Set<string>();
    for (const tag of tags.split(",")) {
      if (known.has(tag)) summed.add(tag);
      else if (known.size >= TAGS_PER_DAY_MAX) summed.add(OTHER_TAGS);
      else {
        known.add(tag);
        this.#newTags.push({ accountId, dayMs, tag });
        summed.add(tag);
      }
    }
    return summed;
  }

  clear(): void {
    this.usage.length = 0;
    this.tagUsage.length = 0;
    this.firstTokens.length = 0;
    this.#tagsOfDays = null;
    this.#newTags = null;
  }

  get tagsOfDays(): Decision["tagsOfDays"] {
    return this.#newTags ?? NONE;
  }
}

function count(totals: UsageTotal[], hour: Hour, tag: string): void {
  for (const total of totals) {
    if (!isOf(total, hour, tag)) continue;
    addUsage(total, hour);
    return;
  }
  const total = makeUsage(hour, tag);
  totals.push(total);
  addUsage(total, hour);
}
