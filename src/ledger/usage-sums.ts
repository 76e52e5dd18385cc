// The hourly sums during one batch: of usage, of usage by tag, and of times to the first token.

import type { Decision, Rows } from "../core/decision.ts";
import { findCountedModel, findOutcome, readProvider } from "../core/log/outcome.ts";
import { isError, type RequestOutcome, type RequestRecord } from "../core/log/record.ts";
import { NO_AMOUNTS, UNITS, type Unit } from "../core/money/units.ts";
import { type FirstTokenSum, makeTagDayId, type TagOfDay, type UsageSum } from "../core/rows.ts";
import { findTagDay, OTHER_TAGS, TAGGED, TAGS_PER_DAY_MAX } from "../core/text/tags.ts";
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
class UsageTotal implements UsageSum {
  hourMs = 0;
  accountId = "";
  keyId = "";
  model = "";
  operation = "";
  surface = "";
  member = "";
  provider = "";
  outcome: UsageSum["outcome"] = "";
  tag = "";
  requests = 0;
  errors = 0;
  readonly amounts: Record<Unit, number> = { ...NO_AMOUNTS };
  costNanoUsd = 0;
  chargedNanoUsd = 0;
  cached = 0;
  savedNanoUsd = 0;
  edge: UsageSum["edge"] = undefined;

  begin({ record, hourMs, model, outcome }: Hour, tag: string): this {
    this.hourMs = hourMs;
    this.accountId = record.accountId;
    this.keyId = record.keyId;
    this.model = model;
    this.operation = record.operation;
    this.surface = record.surface;
    this.member = record.memberId ?? "";
    this.provider = readProvider(model);
    this.outcome = outcome;
    this.tag = tag;
    this.requests = 0;
    this.errors = 0;
    for (const unit of UNITS) this.amounts[unit] = 0;
    this.costNanoUsd = 0;
    this.chargedNanoUsd = 0;
    this.cached = 0;
    this.savedNanoUsd = 0;
    this.edge = undefined;
    return this;
  }

  isOf({ record, hourMs, model, outcome }: Hour, tag: string): boolean {
    return isSameHour(this, record, hourMs, model) && this.isFor(record, outcome, tag);
  }

  isFor({ memberId }: RequestRecord, outcome: RequestOutcome, tag: string): boolean {
    return this.outcome === outcome && this.tag === tag && this.member === (memberId ?? "");
  }

  add({ record, isEdge, times }: Hour): void {
    this.requests += times;
    if (isError(record.status)) this.errors += times;
    for (const unit of UNITS) this.amounts[unit] += times * record.amounts[unit];
    this.costNanoUsd += times * record.costNanoUsd;
    this.chargedNanoUsd += times * record.chargedNanoUsd;
    if (record.cachedFrom !== null) this.cached += times;
    this.savedNanoUsd += times * record.savedNanoUsd;
    if (isEdge) this.edge = addEdge(this, times, record);
  }
}

class FirstTokenTotal implements FirstTokenSum {
  hourMs = 0;
  accountId = "";
  keyId = "";
  model = "";
  operation = "";
  surface = "";
  bucket = 0;
  requests = 0;

  begin({ record, hourMs, model }: Hour, bucket: number): this {
    this.hourMs = hourMs;
    this.accountId = record.accountId;
    this.keyId = record.keyId;
    this.model = model;
    this.operation = record.operation;
    this.surface = record.surface;
    this.bucket = bucket;
    this.requests = 0;
    return this;
  }
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

/** Sums of one kind. Those of a batch are few, so they are looked through one by one, and used again by the next batch. */
class Totals<Total> {
  readonly open: Total[] = [];
  readonly #spare: Total[] = [];

  take(make: () => Total): Total {
    const total = this.#spare.pop() ?? make();
    this.open.push(total);
    return total;
  }

  clear(): void {
    for (const total of this.open) this.#spare.push(total);
    this.open.length = 0;
  }
}

const makeUsage = () => new UsageTotal();
const makeFirstToken = () => new FirstTokenTotal();

export class UsageSums {
  readonly #usage = new Totals<UsageTotal>();
  readonly #byTag = new Totals<UsageTotal>();
  readonly #firstTokens = new Totals<FirstTokenTotal>();
  /** Each is made once there is something in it. */
  #tagsOfDays: Map<string, Set<string>> | null = null;
  #newTags: TagOfDay[] | null = null;

  /**
   * Counts a request in its hour, and for the statement of the month in which it is settled. With `times` -1, takes back
   * what its earlier row was counted as. Tags are found again as they were: the day's first ones stay what they are.
   */
  add(record: RequestRecord, month: string, times: 1 | -1, stored: Rows["tagsOfDays"]): void {
    const { hourMs, isEdge } = findHour(record.atMs, month);
    const hour = {
      record,
      hourMs,
      isEdge,
      model: findCountedModel(record),
      outcome: findOutcome(record),
      times,
    };
    for (const tag of this.#findTags(record, stored)) count(this.#byTag, hour, tag);
    count(this.#usage, hour, record.tags === null ? "" : TAGGED);
    if (record.stream && record.firstTokenMs !== null)
      this.#countFirst(hour, findBucket(record.firstTokenMs));
  }

  #countFirst(hour: Hour, bucket: number): void {
    const { record, hourMs, model, times } = hour;
    const { open } = this.#firstTokens;
    const known = open.find((one) => one.bucket === bucket && isSameHour(one, record, hourMs, model));
    const total = known ?? this.#firstTokens.take(makeFirstToken).begin(hour, bucket);
    total.requests += times;
  }

  /** Returns the tags under which a request is summed: its own, or once `other` for those beyond its day's first ones. */
  #findTags({ tags, accountId, atMs }: RequestRecord, stored: Rows["tagsOfDays"]): Iterable<string> {
    if (tags === null) return NONE;
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
    this.#usage.clear();
    this.#byTag.clear();
    this.#firstTokens.clear();
    this.#tagsOfDays = null;
    this.#newTags = null;
  }

  get usage(): Decision["usage"] {
    return this.#usage.open;
  }

  get tagUsage(): Decision["tagUsage"] {
    return this.#byTag.open;
  }

  get tagsOfDays(): Decision["tagsOfDays"] {
    return this.#newTags ?? NONE;
  }

  get firstTokens(): Decision["firstTokens"] {
    return this.#firstTokens.open;
  }
}

function count(totals: Totals<UsageTotal>, hour: Hour, tag: string): void {
  for (const one of totals.open) {
    if (!one.isOf(hour, tag)) continue;
    one.add(hour);
    return;
  }
  totals.take(makeUsage).begin(hour, tag).add(hour);
}
