// Words for times: `today`, `yesterday`, `last-month`, `-7d`. They become dates of the gateway's own time zone.
import { Type } from "@sinclair/typebox";
import { nameDay } from "../../admin/span.ts";
import type { QuotaRules } from "../../core/settings.ts";
import { UsageError } from "../arguments.ts";
import { type Ask, makeReader } from "../gateway/ask.ts";
import type { Asking } from "../gateway/gateway.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS_AGO = /^-(\d{1,4})([dw])$/;
const HOURS_AGO = /^-(\d{1,5})h$/;
const STARTS_WITH_DIGIT = /^\d/;
const MOMENTS = ["from", "to"] as const;
const MONTHS = { "this-month": 0, "last-month": 1 } as const;

export const MOMENT_WORDS = "today, yesterday, this-month, last-month, -7d, -2w or -12h";

type MomentRules = Pick<QuotaRules, "timeZone" | "dayStartsMinutes">;
type MomentFlags = Readonly<Record<string, string>>;

const readRules = makeReader(
  Type.Object({ quota: Type.Object({ time_zone: Type.String(), day_starts: Type.String() }) }),
);

/** Asks for the name of today where the rows are, such as `2026-11-27`. */
function askToday(rules: MomentRules): Ask<string> {
  return {
    route: { method: "GET", path: "/settings" },
    read: (answer) => {
      const { time_zone: timeZone, day_starts } = readRules(answer).quota;
      const [hours = 0, minutes = 0] = day_starts.split(":").map(Number);
      return nameDay(Date.now(), { timeZone, dayStartsMinutes: hours * 60 + minutes });
    },
    here: async ({ clock }) => nameDay(clock.nowMs(), rules),
  };
}

/** Returns the same flags with dates and times for the words. Asks for today only if a word needs it. */
export async function readMoments(ask: Asking, rules: MomentRules, given: MomentFlags): Promise<MomentFlags> {
  const found: Record<string, string> = { ...given };
  let today: string | null = null;
  for (const name of [...MOMENTS, "month"] as const) {
    const text = given[name];
    if (text === undefined) continue;
    const hours = name === "month" ? null : HOURS_AGO.exec(text);
    if (hours !== null) found[name] = new Date(Date.now() - Number(hours[1]) * HOUR_MS).toISOString();
    else if (!isWord(text) && name !== "month" && !STARTS_WITH_DIGIT.test(text))
      throw new UsageError(`--${name} must be a date, an ISO 8601 time, or ${MOMENT_WORDS}, not '${text}'`);
    if (!isWord(text)) continue;
    today ??= await ask(askToday(rules));
    found[name] = readWord(text, today, name);
  }
  return found;
}

function isWord(text: string): boolean {
  return text === "today" || text === "yesterday" || Object.hasOwn(MONTHS, text) || DAYS_AGO.test(text);
}

function readWord(text: string, today: string, name: "from" | "to" | "month"): string {
  const [, count = "0", unit = "d"] = DAYS_AGO.exec(text) ?? [];
  if (text === "this-month" || text === "last-month") return readMonth(MONTHS[text], today, name);
  const days = text === "yesterday" ? 1 : Number(count) * (unit === "w" ? 7 : 1);
  return formatDate(Date.parse(`${today}T00:00:00Z`) - days * DAY_MS);
}

/** A month begins with its first day and ends with its last one. */
function readMonth(back: number, today: string, name: "from" | "to" | "month"): string {
  const [year = 0, month = 1] = today.split("-").map(Number);
  const first = formatDate(Date.UTC(year, month - 1 - back, 1));
  if (name === "month") return first.slice(0, 7);
  return name === "from" ? first : formatDate(Date.UTC(year, month - back, 0));
}

function formatDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
