// Formats numbers, money, times and usage for display.
import type { TokensView, UnitsView } from "../../admin/log/figures.ts";
import { listPiecePrices } from "../../core/fields/piece-prices.ts";
import { nowMs } from "../browser.ts";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function formatCount(value: number): string {
  return whole.format(value);
}

/** Formats 12345 as 12.3K. */
export function formatCompact(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);
}

/** Formats money with as many digits as it needs: $1,234.50, $0.0042, $0.0000012. */
export function formatUsd(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "$0.00";
  const digits = size >= 1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
  const text = size.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: digits });
  return `${value < 0 ? "−" : ""}$${text}`;
}

/** Formats money for a column, in which all amounts have two decimals, so that they can be compared at a glance. */
export function formatMoney(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 0.005) return value < 0 ? "−<$0.01" : "<$0.01";
  const text = size.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${value < 0 ? "−" : ""}$${text}`;
}

const DECIMALS_MAX = 6;
const SIGNIFICANT = 2;

/** Returns a format for a column of amounts: all of them have the decimals that the smallest needs. */
export function makeUsdFormat(values: readonly number[]): (value: number) => string {
  const sizes = values.map(Math.abs).filter((size) => size > 0);
  const needed = sizes.map((size) => SIGNIFICANT - 1 - Math.floor(Math.log10(size)));
  const decimals = Math.min(DECIMALS_MAX, Math.max(2, ...needed));
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const least = 10 ** -decimals;
  return (value) => {
    const sign = value < 0 ? "−" : "";
    const size = Math.abs(value);
    if (size > 0 && size < least / 2) return `${sign}<$${least.toLocaleString("en-US", digits)}`;
    return `${sign}$${size.toLocaleString("en-US", digits)}`;
  };
}

/** Formats a sum that small amounts were added to: $4.999814. */
export function formatBalance(value: number): string {
  const text = Math.abs(value).toLocaleString("en-US", {
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
  return `${value < 0 ? "−" : ""}$${text}`;
}

/** Formats money for a narrow space. */
export function formatUsdCompact(value: number): string {
  return Math.abs(value) >= 10_000 ? `$${short.format(value)}` : formatUsd(value);
}

/** Returns the cost and the charge, as far as they are known. */
export function describeCharge({
  cost,
  charged,
}: Partial<Record<"cost" | "charged", number>>): string | null {
  const parts = [
    cost === undefined ? null : formatUsd(cost),
    charged === undefined ? null : `${formatUsd(charged)} charged`,
  ];
  return parts.filter(Boolean).join(" · ") || null;
}

/** Formats 32000000 as 32 MB. */
export function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${Number((bytes / 1e6).toFixed(1))} MB`;
}

/** Formats a price per million tokens. */
export function formatPrice(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "free";
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}

/** Formats the price of a model's prompts or answers. One that is charged by the piece shows that price for prompts. */
export function formatRate(
  pricing: { readonly input: number; readonly output: number } | null,
  field: "input" | "output",
): string {
  const pieces = listPiecePrices(pricing);
  if (pieces.length === 0) return formatPrice(pricing?.[field]);
  return field === "output"
    ? formatPrice(null)
    : pieces.map(({ usd, unit }) => `${formatPrice(usd)}/${unit}`).join(", ");
}

export function formatPercent(share: number): string {
  const value = share * 100;
  return `${value === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)}%`;
}

const MINUTE_SECONDS = MINUTE_MS / SECOND_MS;

/** Formats a duration: 340 ms, 1.24 s, 2 min 5 s. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  const seconds = Number((ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 2 : 1));
  if (seconds < MINUTE_SECONDS) return `${seconds} s`;
  const whole = Math.round(ms / SECOND_MS);
  const rest = whole % MINUTE_SECONDS;
  if (whole * SECOND_MS < HOUR_MS)
    return `${Math.floor(whole / MINUTE_SECONDS)} min${rest === 0 ? "" : ` ${rest} s`}`;
  if (ms < 2 * DAY_MS) return `${Math.round(ms / HOUR_MS)} h`;
  return `${Math.round(ms / DAY_MS)} days`;
}

const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const DATE_PARTS = { day: "numeric", month: "short", year: "numeric" } as const;
const dayOnly = new Intl.DateTimeFormat("en-GB", DATE_PARTS);
const dateOnly = new Intl.DateTimeFormat("en-GB", { ...DATE_PARTS, timeZone: "UTC" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** Formats a time: today's as the time of day, others with their date. */
export function formatTime(instant: string): string {
  const at = new Date(instant);
  const isToday = at.toDateString() === new Date(nowMs()).toDateString();
  return isToday ? clockTime.format(at) : dayTime.format(at);
}

export function formatFullTime(instant: string): string {
  return full.format(new Date(instant));
}

/** Formats the day of a time, or a date, which is the same day everywhere. */
export function formatDay(day: string): string {
  return (day.includes("T") ? dayOnly : dateOnly).format(new Date(day));
}

/** True once the day, a date in UTC, is over. */
export function isOver(day: string): boolean {
  return Date.parse(day) + DAY_MS <= nowMs();
}

/** Formats a model's last day, a date in UTC. */
export function formatEnd(day: string): string {
  return `${isOver(day) ? "ended" : "ends"} ${formatDay(day)}`;
}

const weekday = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});

/** Names the day of a time, for headings: Today, Yesterday, Monday 23 November 2026. */
export function nameDay(instant: string): string {
  const day = new Date(instant).toDateString();
  if (day === new Date(nowMs()).toDateString()) return "Today";
  if (day === new Date(nowMs() - DAY_MS).toDateString()) return "Yesterday";
  return weekday.format(new Date(instant));
}

const monthOfYear = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** Formats 2026-11 as November 2026. */
export function nameMonth(month: string): string {
  return monthOfYear.format(new Date(`${month}-01`));
}

/** Formats the time of day, for rows under a day's heading. */
export function formatClock(instant: string): string {
  return clockTime.format(new Date(instant));
}

/** Formats a time relative to now: "3 min ago", "in 2 h". */
export function formatRelativeTime(instant: string): string {
  const ms = Date.parse(instant) - nowMs();
  const size = Math.abs(ms);
  if (size < MINUTE_MS) return ms > 0 ? "in less than a minute" : "just now";
  const [value, unit] =
    size < HOUR_MS
      ? [Math.round(size / MINUTE_MS), "min"]
      : size < DAY_MS
        ? [Math.round(size / HOUR_MS), "h"]
        : [Math.round(size / DAY_MS), Math.round(size / DAY_MS) === 1 ? "day" : "days"];
  return ms > 0 ? `in ${value} ${unit}` : `${value} ${unit} ago`;
}

/** Formats 131072 as 131K, 1048576 as 1.05M. */
export function formatTokens(value: number | null): string {
  if (value === null) return "–";
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(2))}M`;
  if (value >= 1000) return `${Math.round(value / 1000)}K`;
  return String(value);
}

/** Splits a model's id into its provider and its name. */
export function splitModelId(id: string): { readonly provider: string; readonly name: string } {
  const cut = id.indexOf("#");
  return cut === -1 ? { provider: "", name: id } : { provider: id.slice(0, cut), name: id.slice(cut + 1) };
}

/** Units counted instead of tokens, in singular and plural. */
const UNITS: readonly (readonly [keyof UnitsView, string, string])[] = [
  ["images", "image", "images"],
  ["seconds", "second", "seconds"],
  ["characters", "character", "characters"],
  ["search_units", "search unit", "search units"],
  ["pages", "page", "pages"],
];

/** Returns "3 search units", or null if only tokens were counted. */
export function describeUnits(units: UnitsView): string | null {
  const counted = UNITS.filter(([unit]) => units[unit] > 0);
  if (counted.length === 0) return null;
  return counted
    .map(([unit, one, many]) => `${formatCount(units[unit])} ${units[unit] === 1 ? one : many}`)
    .join(", ");
}

/** Returns "1,200 → 300", with any other units after it. */
export function describeUsage(tokens: Pick<TokensView, "prompt" | "completion">, units: UnitsView): string {
  const others = describeUnits(units);
  const text = `${formatCount(tokens.prompt)} → ${formatCount(tokens.completion)}`;
  if (others === null) return text;
  return tokens.prompt + tokens.completion === 0 ? others : `${text}, ${others}`;
}
