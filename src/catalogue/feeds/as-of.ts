// The day of the catalogue's prices.
import { parseDay } from "../later-prices.ts";

/** The day on which the shipped rows were last compared with the providers' prices. Moved when the rows are. */
export const SHIPPED_DAY = "2026-11-28";

/** Returns the time that has passed since the start of that day, in seconds. Not below 0. */
export function measureAge(asOf: string, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - (parseDay(asOf) ?? nowMs)) / 1000));
}
