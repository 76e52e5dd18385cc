// The hourly sums during one batch: of usage, of usage by tag, and of times to the first token.

import { findCountedModel, findOutcome, readProvider } from "../core/log/outcome.ts";
import type { RequestRecord } from "../core/log/record.ts";
import { type FirstTokenSum, makeTagDayId, type TagOfDay, type UsageSum } from "../core/rows.ts";
import { findTagDay, OTHER_TAGS, TAGGED, TAGS_PER_DAY_MAX } from "../core/text/tags.ts";
import { findBucket } from "../core/world/histogram.ts";
import { addEdge, findHour } from "./money/month.ts";
import type { RowLookup } from "./row-lookup.ts";
import { addCounts } from "./usage-counts.ts";

/** A sum without its figures. */
type Head = Omit<UsageSum, keyof ReturnType<typeof addCounts> | "edge">;

const NO_TAGS: readonly string[] = [];

export class UsageSums {
  readonly #usage = new Map<string, UsageSum>();
  readonly #byTag = new Map<string, UsageSum>();
  readonly #firstTokens = new Map<string, FirstTokenSum>();
  readonly #stored: RowLookup["tagsOfDays"];
  readonly #tagsOfDays = new Map<string, Set<string>>();
  readonly #newTags: TagOfDay[] = [];

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
    const count = (sums: Map<string, UsageSum>, tag: string) => {
      const place = `${id} ${outcome} ${tag}`;
      sums.set(place, addUp(sums.get(place), { ...about, tag }, record, { times, isEdge }));
    };
    count(this.#usage, record.tags === null ? "" : TAGGED);
    for (const tag of this.#findTags(record)) count(this.#byTag, tag);
    if (!record.stream || record.firstTokenMs === null) return;
    const bucket = findBucket(record.firstTokenMs);
    const counted = `${id} ${bucket}`;
    const requests = (this.#firstTokens.get(counted)?.requests ?? 0) + times;
    this.#firstTokens.set(counted, { ...hour, bucket, requests });
  }

  /** Returns the tags under which a request is summed: its own, or once `other` for those beyond its day's first ones. */
  #findTags({ tags, accountId, atMs }: RequestRecord): Iterable<string> {
    if (tags === null) return NO_TAGS;
    const dayMs = findTagDay(atMs);
    const id = makeTagDayId(accountId, dayMs);
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

  get decided() {
    return {
      usage: [...this.#usage.values()],
      tagUsage: [...this.#byTag.values()],
      tagsOfDays: this.#newTags,
      firstTokens: [...this.#firstTokens.values()],
    };
  }
}

function addUp(
  sum: UsageSum | undefined,
  head: Head,
  record: RequestRecord,
  { times, isEdge }: { readonly times: 1 | -1; readonly isEdge: boolean },
): UsageSum {
  const edge = isEdge || sum?.edge ? { edge: addEdge(sum, isEdge ? times : 0, record) } : null;
  return { ...head, ...addCounts(sum, record, times), ...edge };
}
