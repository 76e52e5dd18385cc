// The part of a provider's limits that is left, as its answers say: lines leave a quarter to single requests until the reset.
// Names and forms by the API references of OpenAI ("Rate limits in headers", `x-ratelimit-remaining-requests: 59`, `1s`,
// `6m0s`) and Anthropic ("Response headers", `anthropic-ratelimit-requests-remaining`, times by RFC 3339), November 2026.

/** Lines leave this share. */
export const SHARE_LEFT = 1 / 4;
/** The headers of a kind of limits, such as `requests`, in a vendor's form. The first group of `left` is the kind. */
const FORMS = [
  {
    left: /^x-ratelimit-remaining-(.{1,40})$/,
    limit: (kind: string) => `x-ratelimit-limit-${kind}`,
    reset: (kind: string) => `x-ratelimit-reset-${kind}`,
  },
  {
    left: /^anthropic-ratelimit-(.{1,40})-remaining$/,
    limit: (kind: string) => `anthropic-ratelimit-${kind}-limit`,
    reset: (kind: string) => `anthropic-ratelimit-${kind}-reset`,
  },
] as const;
/** No provider has more kinds of limits. */
const KINDS_MAX = 8;
/** The time of a limit whose reset isn't said. */
const RESET_MS = 60_000;
const RESET_MAX_MS = 3_600_000;
/** An answer without such headers is followed by others without. */
const SILENT_MS = 1000;
const DURATION = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

interface LimitLeft {
  readonly limit: number;
  readonly left: number;
  readonly resetAtMs: number;
}

/** Times are on the monotonic clock. */
export class Headroom {
  readonly #kinds = new Map<string, LimitLeft>();
  /** Headers aren't read before. */
  #silentUntilMs = 0;
  /** Lines that went since the last report. */
  #since = 0;

  /** Reads the headers of an answer. Those of a provider that says nothing of its limits are read once a second. */
  read(headers: Headers, nowMs: number): void {
    if (nowMs < this.#silentUntilMs) return;
    let isSilent = true;
    headers.forEach((value, name) => {
      if (!name.includes("ratelimit-")) return;
      for (const form of FORMS) {
        const kind = form.left.exec(name)?.[1];
        if (kind === undefined || !/^\d/.test(value)) continue;
        isSilent = false;
        this.#note(kind, Number(value), form, headers, nowMs);
      }
    });
    if (isSilent) this.#silentUntilMs = nowMs + SILENT_MS;
  }

  #note(kind: string, left: number, form: (typeof FORMS)[number], headers: Headers, nowMs: number): void {
    const before = this.#kinds.get(kind);
    if (!(left >= 0) || (before === undefined && this.#kinds.size >= KINDS_MAX)) return;
    const most = before !== undefined && nowMs < before.resetAtMs ? before.limit : 0;
    const named = Number(headers.get(form.limit(kind)) ?? 0);
    const limit = named > 0 ? named : Math.max(most, left);
    const resetMs = parseReset(headers.get(form.reset(kind)), headers.get("date")) ?? RESET_MS;
    this.#kinds.set(kind, { limit, left, resetAtMs: nowMs + Math.min(resetMs, RESET_MAX_MS) });
    this.#since = 0;
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
