// The watched list of prices, as the operator sees it.
import type { FeedCause } from "../../catalogue/feeds/feed.ts";

export interface WatchedList {
  /** The number of the last list that could be used, null for one without a number or a day. */
  readonly serial: number | null;
  readonly asOf: string | null;
  readonly source: string | null;
  /** The digits of the key that has signed it. Null if signatures aren't looked at. */
  readonly key: string | null;
  /** When it was looked at last, whether or not it could be used. */
  readonly fetchedAtMs: number;
  /** The cause for which it couldn't be used then. Null if it could. */
  readonly refused: FeedCause | null;
}
