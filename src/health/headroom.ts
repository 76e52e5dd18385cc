// The part of a provider's limits that is left, as its answers say: lines leave a quarter to single requests until the reset.
// Names and forms by the API references of OpenAI ("Rate limits in headers", `x-ratelimit-remaining-requests: 59`, `1s`,
// `6m0s`) and Anthropic ("Response headers", `anthropic-ratelimit-requests-remaining`, times by RFC 3339), November 2026.

/** Lines leave this share. */
export const SHARE_LEFT = 1 / 4;
const OPENAI = /^x-ratelimit-remaining-(.{1,40})$/;
const ANTHROPIC = /^anthropic-ratelimit-(.{1,40})-remaining$/;
/** No provider has more kinds of limits. */
const KINDS_MAX = 8;
/** The time of a limit whose reset isn't said. */
const RESET_MS = 60_000;
const RESET_MAX_MS = 3_600_000;
const DURATION = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

interface LimitLeft {
  readonly limit: number;
  readonly left: number;
  readonly resetAtMs: number;
}

/** Times are on the monotonic clock. */
export class Headroom {
  readonly #kinds = new Map<string, LimitLeft>();
  /** Lines that went since the last report. */
  #since = 0;

  /** Reads the headers of an answer. */
  read(headers: Headers, nowMs: number): void {
    for (const [name, value] of headers) {
      const kind = OPENAI.exec(name)?.[1] ?? ANTHROPIC.exec(name)?.[1];
      const left = Number(value);
      if (kind === undefined || value === "" || !(left >= 0)) continue;
      if (this.#kinds.size >= KINDS_MAX && !this.#kinds.has(kind)) continue;
      const before = this.#kinds.get(kind);
      const isOpenai = name.startsWith("x-");
      const named = headers.get(isOpenai ? `x-ratelimit-limit-${kind}` : `anthropic-ratelimit-${kind}-limit`);
      const most = before !== undefined && nowMs < before.resetAtMs ? before.limit : 0;
      const limit = named !== null && Number(named) > 0 ? Number(named) : Math.max(most, left);
      const reset = headers.get(isOpenai ? `x-ratelimit-reset-${kind}` : `anthropic-ratelimit-${kind}-reset`);
      const resetMs = parseReset(reset, headers.get("date")) ?? RESET_MS;
      this.#kinds.set(kind, { limit, left, resetAtMs: nowMs + Math.min(resetMs, RESET_MAX_MS) });
      this.#since = 0;
    }
  }

  /** A line goes. */
  take(): void {
    this.#since++;
  }

  /** Returns how many lines may go. */
  count(nowMs: number): number {
    let count = Number.POSITIVE_INFINITY;
    for (const [kind, { limit, left, resetAtMs }] of this.#kinds) {
      if (nowMs >= resetAtMs) continue;
      const above = left - Math.floor(limit * SHARE_LEFT);
      // The tokens of a line aren't known before it is planned: as long as some are left above the quarter, it may go.
      const isCalls = kind.includes("req");
      count = Math.min(count, isCalls ? above - this.#since : above > 0 ? Number.POSITIVE_INFINITY : 0);
    }
    return Math.max(0, count);
  }
}

/** Returns the milliseconds to a reset: `6m0s`, `120ms`, seconds, or a time, which is compared with the answer's own date. */
function parseReset(reset: string | null, date: string | null): number | null {
  if (reset === null || reset === "") return null;
  if (/^\d+(\.\d+)?$/.test(reset)) return Number(reset) * 1000;
  const [whole, hours = 0, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(reset) ?? [];
  if (whole !== undefined)
    return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(ms);
  const untilMs = Date.parse(reset) - Date.parse(date ?? "");
  return untilMs >= 0 ? untilMs : null;
}
