// The day of the catalogue's prices.
import { parseDay } from "../later-prices.ts";

/** The day on which the shipped rows were last compared with the providers' prices. Moved when the rows are. */
export const SHIPPED_DAY = "2026-11-28";

/** Returns the day of the operator's file, if that is later, else the day of the shipped rows. */
export function findPriceDay(ofFile: string | undefined): string {
  return ofFile !== undefined && ofFile > SHIPPED_DAY ? ofFile : SHIPPED_DAY;
}

/** Returns the time that has passed since the start of that day, in seconds. Not below 0. */
export function measureAge(asOf: string, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - (parseDay(asOf) ?? nowMs)) / 1000));
}
