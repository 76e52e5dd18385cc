// The log of refusals: their counts by minute, its bounds, and questions to it.
import type { Scope } from "../people/people.ts";
import type { Page } from "../world/page.ts";
import type { SearchPage } from "./log-query.ts";
import type { Refusal } from "./refusal.ts";
import type { UsageSum } from "./usage-sum.ts";

/** The refusals of one key (or unknown secret) with one code, for one model, within one minute. */
export interface RefusalCount
  extends Omit<
    Refusal,
    "operation" | "surface" | "modelPlanned" | "outcome" | "hasRow" | "accountId" | "memberId" | "code"
  > {
  /** Made of the minute and of what the refusals have in common, so that every process counts in the same row. */
  readonly id: string;
  /** A fault's code, perhaps of another version. */
  readonly code: string;
  /** Empty if the key is unknown. */
  readonly accountId: string;
  /** The last of them, in Unix milliseconds. */
  readonly atMs: number;
  readonly count: number;
}

/** The most rows of one minute, over all processes. Further ones are counted in one row for each code. */
export const REFUSALS_A_MINUTE_MAX = 10_000;
/** The most rows in all. The oldest go. */
export const REFUSALS_MAX = 1_000_000;
/** The model of the rows that count what is beyond a bound. */
export const MANY = "(many)";

/** A question to the refusals. Rows must match every field given. */
export interface RefusalFilter {
  readonly keyId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly model?: string | undefined;
  readonly code?: string | undefined;
  readonly address?: string | undefined;
  /** The person whose personal keys were refused. */
  readonly memberId?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** The rows that the viewer sees. Missing for all. */
  readonly scope?: Scope | undefined;
}

/** The counts of a process since they were last taken. */
export interface TakenRefusals {
  readonly counts: readonly RefusalCount[];
  /** Refused requests by the hour, for the usage of keys. Requests with a row are not among them. */
  readonly sums: readonly UsageSum[];
}

/** The store's methods on refusals. Each is one transaction, as in `Store`. */
export interface RefusalStore {
  /**
   * Adds counts of refusals to the rows of their minute, and refused requests to the sums of usage. Beyond 10,000 rows a
   * minute, over all processes, only a count for each code is added.
   */
  add(taken: TakenRefusals): Promise<void>;
  /** Newest first. Stops after about `withinMs`, and says how far it got. */
  list(filter: RefusalFilter, page: Page, withinMs: number): Promise<SearchPage<RefusalCount>>;
  /**
   * Deletes refusals older than a time (Unix milliseconds), and the oldest beyond `keptMax`; at most `rowsMax` at once.
   * Returns how many.
   */
  prune(beforeMs: number, keptMax: number, rowsMax: number): Promise<number>;
}
