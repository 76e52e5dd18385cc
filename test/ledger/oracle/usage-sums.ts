// The hourly sums during one batch: of usage, of usage by tag, and of times to the first token.

import { findCountedModel, findOutcome, readProvider } from "../../../src/core/log/outcome.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import { findTagDay, OTHER_TAGS, TAGGED, TAGS_PER_DAY_MAX } from "../../../src/core/log/tags.ts";
import type { FirstTokenSum, TagOfDay, UsageSum } from "../../../src/core/log/usage-sum.ts";
import { makeTagDayId } from "../../../src/core/rows.ts";
import { findBucket } from "../../../src/core/world/histogram.ts";
import { addEdge, findHour } from "../../../src/ledger/money/month.ts";
import type { Decision } from "./decision.ts";
import type { RowLookup } from "./row-lookup.ts";
import { addCounts } from "./usage-counts.ts";

/** A sum without its figures. */
type Head = Omit<UsageSum, keyof ReturnType<typeof addCounts> | "edge">;

/** Shared by requests without tags and batches that settle nothing. */
const NONE: readonly never[] = Object.freeze([]);
export const NO_SUMS: UsageSums["decided"] = {
  usage: NONE,
  tagUsage: NONE,
  tagsOfDays: NONE,
  firstTokens: NONE,
};

export class UsageSums {
  readonly #usage = new Map<string, UsageSum>();
  readonly #stored: RowLookup["tagsOfDays"];
  /** Each is made once there is something in it. */
  #byTag: Map<string, UsageSum> | null = null;
  #firstTokens: Map<string, FirstTokenSum> | null = null;
  #tagsOfDays: Map<string, Set<string>> | null = null;
  #newTags: TagOfDay[] | null = null;

  constructor(stored: RowLookup["tagsOfDays"]) {
    this.#stored = stored;
  }

  /**
   * Counts a request in its hour, and for the statement of the month in which it is settled. With `times` -1, takes back
   * what its earlier row was counted as. Tags are found again as they were: the day's first ones stay what they are.
   */
  add(record: RequestRecord, month: string, times: 1 | -1): void {
    const { accountId, keyId, operation, surface } = record;
    const model = findCountedModel(record);
    const { hourMs, isEdge } = findHour(record.atMs, month);
    const member = record.memberId ?? "";
    const id = `${hourMs}\n${accountId}\n${keyId}\n${model}\n${operation}\n${surface}\n${member}`;
    const outcome = findOutcome(record);
    const hour = { hourMs, accountId, keyId, model, operation, surface };
    const about = { ...hour, member, provider: readProvider(model), outcome };
    const way = { times, isEdge };
    for (const tag of this.#findTags(record)) {
      this.#byTag ??= new Map();
      count(this.#byTag, id, { ...about, tag }, record, way);
    }
    count(this.#usage, id, { ...about, tag: record.tags === null ? "" : TAGGED }, record, way);
    if (!record.stream || record.firstTokenMs === null) return;
    const bucket = findBucket(record.firstTokenMs);
    const counted = `${id} ${bucket}`;
    this.#firstTokens ??= new Map();
    const requests = (this.#firstTokens.get(counted)?.requests ?? 0) + times;
    this.#firstTokens.set(counted, { ...hour, bucket, requests });
  }

  /** Returns the tags under which a request is summed: its own, or once `other` for those beyond its day's first ones. */
  #findTags({ tags, accountId, atMs }: RequestRecord): Iterable<string> {
    if (tags === null) return NONE;
    const dayMs = findTagDay(atMs);
    const id = makeTagDayId(accountId, dayMs);
    this.#tagsOfDays ??= new Map();
    this.#newTags ??= [];
    const known = this.#tagsOfDays.getOrInsertComputed(id, () => new Set(this.#stored?.get(id)));
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

  get decided(): Pick<Decision, "usage" | "tagUsage" | "tagsOfDays" | "firstTokens"> {
    return {
      usage: [...this.#usage.values()],
      tagUsage: this.#byTag === null ? NONE : [...this.#byTag.values()],
      tagsOfDays: this.#newTags ?? NONE,
      firstTokens: this.#firstTokens === null ? NONE : [...this.#firstTokens.values()],
    };
  }
}

interface Way {
  readonly times: 1 | -1;
  readonly isEdge: boolean;
}

function count(sums: Map<string, UsageSum>, id: string, head: Head, record: RequestRecord, way: Way): void {
  const place = `${id} ${head.outcome} ${head.tag}`;
  sums.set(place, addUp(sums.get(place), head, record, way));
}

function addUp(
  sum: UsageSum | undefined,
  head: Head,
  record: RequestRecord,
  { times, isEdge }: Way,
): UsageSum {
  const edge = isEdge || sum?.edge ? { edge: addEdge(sum, isEdge ? times : 0, record) } : null;
  return { ...head, ...addCounts(sum, record, times), ...edge };
}
