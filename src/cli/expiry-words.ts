// Words for the time at which a key or a token ends: `tomorrow`, `30d`, `never`.

const HOUR_MS = 3_600_000;
const UNITS_MS = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS } as const;
const SPAN = /^\+?(\d{1,4})([hdw])$/;
const WORDS: Readonly<Record<string, string>> = { tomorrow: "1d", "next-week": "7d", "next-month": "30d" };

/** Returns the time in ISO 8601, counted from now, or null for `never`. Any other text stays, and is checked as a time. */
export function readExpiry(text: string, nowMs: number): string | null {
  if (text === "never") return null;
  const [, count, unit] = SPAN.exec(WORDS[text] ?? text) ?? [];
  if (unit !== "h" && unit !== "d" && unit !== "w") return text;
  return new Date(nowMs + Number(count) * UNITS_MS[unit]).toISOString();
}
