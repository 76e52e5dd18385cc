// The watched list of prices, as the operator sees it.
import type { FeedCause } from "../../catalogue/feeds/feed.ts";

export interface WatchedList {
  /** The number and day of the last list that could be used. Null for one without. */
  readonly serial: number | null;
  readonly asOf: string | null;
  readonly source: string | null;
  /** The digits of the key that has signed it. Null if signatures aren't looked at. */
  readonly key: string | null;
  /** When it was looked at last, whether or not it could be used. */
  readonly fetchedAtMs: number;
  /** The reason why it couldn't be used then. Null if it could. */
  readonly refused: FeedCause | null;
}
