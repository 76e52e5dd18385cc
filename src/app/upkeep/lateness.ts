// The lateness of the event loop, as the mean of the last second. It is measured only while somebody asks.
const PERIOD_MS = 50;
const LATE_MS = 50;
/** Without a question for this long, it isn't measured any more. */
const IDLE_MS = 2000;
/** The share of the last period in the mean of about a second. */
const SHARE = 0.05;

export function measureLateness(): { isLate(): boolean } {
  let meanMs = 0;
  let askedMs = 0;
  let isRunning = false;
  const measure = (dueMs: number) => {
    const nowMs = performance.now();
    meanMs += (Math.max(0, nowMs - dueMs) - meanMs) * SHARE;
    isRunning = nowMs - askedMs < IDLE_MS;
    if (isRunning) setTimeout(() => measure(nowMs + PERIOD_MS), PERIOD_MS).unref();
    else meanMs = 0;
  };
  return {
    isLate() {
      askedMs = performance.now();
      if (!isRunning) {
        isRunning = true;
        const dueMs = askedMs + PERIOD_MS;
        setTimeout(() => measure(dueMs), PERIOD_MS).unref();
      }
      return meanMs > LATE_MS;
    },
  };
}
