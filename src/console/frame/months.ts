// The months that one can choose among.
import { nowMs } from "../browser.ts";

const SHOWN_MAX = 36;

/** Returns the months in UTC since the first, newest first. In zones ahead of it, the newest begins a little earlier. */
export function listMonths(first: string): readonly string[] {
  const now = new Date(nowMs());
  const months = Array.from({ length: SHOWN_MAX }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  );
  const own = months.filter((month) => month >= first);
  return own.length === 0 ? months.slice(0, 1) : own;
}
