// The cost of a whole month, if it goes on as it began.

/** After so short a time, one expensive request would decide everything. */
const SHARE_MIN = 1 / 31;

/** Returns the forecast for the whole range, or null while too little of it is over. Times are Unix milliseconds. */
export function forecast(
  spent: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): number | null {
  const share = (nowMs - fromMs) / (toMs - fromMs);
  if (share >= 1) return spent;
  return share < SHARE_MIN ? null : spent / share;
}
