// The operator's overview: figures for a time range, step by step, and for the equally long range before it.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { UsageDimension, UsageFilter } from "../../core/log/log-query.ts";
import type { FirstTokenSum, UsageSum } from "../../core/log/usage-sum.ts";
import type { Scope } from "../../core/people/people.ts";
import { formatInstant } from "../format.ts";
import { allowWords, closeObject, instant, text, type View } from "../schema.ts";
import { eachPiece, listDays, momentFields, readSpan, type Span, splitSpan } from "../span.ts";
import { Figures, figuresSchema } from "./figures.ts";
import { findFilters } from "./found-filters.ts";
import { seesProviderCosts } from "./provider-cost.ts";
import { listUsageSums, type SumParts } from "./usage.ts";

const STEPS = ["day", "hour"] as const;

const HOUR_MS = 3_600_000;
const HOURS_MAX = 31 * 24;

export const overviewQuery = closeObject({
  ...momentFields,
  step: Type.Optional(allowWords(STEPS)),
  account_id: Type.Optional(text),
  key_id: Type.Optional(text),
  model: Type.Optional(text),
  provider: Type.Optional(text),
  member: Type.Optional(text),
});

export const overviewSchema = Type.Object({
  from: instant,
  to: instant,
  step: allowWords(STEPS),
  totals: figuresSchema,
  previous: figuresSchema,
  previous_is_whole: Type.Boolean({
    description:
      "False if the first half of the previous range had no requests, as where use began within it.",
  }),
  series: Type.Array(
    Type.Object({
      at: instant,
      day: Type.Optional(
        Type.String({ format: "date", description: "With step=day: the date, in the gateway's time zone." }),
      ),
      ...figuresSchema.properties,
    }),
  ),
});
export type Overview = View<typeof overviewSchema>;

/**
 * Returns the figures of each step and in total, filtered by `account_id`, `key_id`, `model`, `provider` and `member`.
 * The time range is read as in `sumUsage`, and the granularity is also the UTC hour.
 */
export async function readOverview(
  parts: SumParts,
  given: Static<typeof overviewQuery>,
  scope?: Scope,
): Promise<Overview> {
  const { store, clock, dayRules } = parts;
  const query = await findFilters(parts, given, scope);
  const { step = "day", account_id: accountId, key_id: keyId, model, provider, member: memberId } = query;
  const only: UsageFilter = { accountId, keyId, model, provider, memberId, scope };
  const rules = dayRules();
  const span = readSpan(query, clock.nowMs(), rules);
  const seesCost = seesProviderCosts(scope, accountId);
  const totals = new Figures();
  const series = new Map<number, Figures>();
  if (step === "hour") for (const atMs of listHours(span)) series.set(atMs, new Figures());
  const days = listDays(span, rules);
  if (step === "day") for (const { fromMs } of days) series.set(fromMs, new Figures());
  const groupBy: readonly UsageDimension[] = step === "hour" ? ["hour"] : [];
  const find = ({ fromMs, toMs }: Span) => listUsageSums(store, { fromMs, toMs, groupBy, only });
  await eachPiece(step === "hour" ? splitSpan(span) : days, find, ({ usage, firstTokens }, { fromMs }) => {
    const stepOf = ({ hourMs }: UsageSum | FirstTokenSum) => series.get(step === "hour" ? hourMs : fromMs);
    for (const row of usage) for (const one of [totals, stepOf(row)]) one?.add(row);
    for (const row of firstTokens) for (const one of [totals, stepOf(row)]) one?.addFirstTokens(row);
  });
  const dates = new Map(step === "day" ? days.map(({ fromMs, name }) => [fromMs, { day: name }]) : []);
  const { fromMs, toMs } = span;
  const previous = await sumPrevious(store, { fromMs: fromMs - (toMs - fromMs), toMs: fromMs }, only);
  return {
    from: formatInstant(fromMs),
    to: formatInstant(toMs),
    step,
    totals: totals.view(seesCost),
    previous: previous.figures.view(seesCost),
    previous_is_whole: previous.isWhole,
    series: [...series].map(([atMs, figures]) => ({
      at: formatInstant(atMs),
      ...dates.get(atMs),
      ...figures.view(seesCost),
    })),
  };
}

/** Returns the starts of the hours that begin within a time range. */
function listHours({ fromMs, toMs }: Span): readonly number[] {
  const first = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
  const count = Math.max(0, Math.ceil((toMs - first) / HOUR_MS));
  if (count > HOURS_MAX) {
    throw invalidValue("from", `at most ${HOURS_MAX / 24} days by hour; use a later time, or step=day`);
  }
  return Array.from({ length: count }, (_, at) => first + at * HOUR_MS);
}

async function sumPrevious(store: SumParts["store"], { fromMs, toMs }: Span, only: UsageFilter) {
  const halfMs = Math.max(1, Math.floor((toMs - fromMs) / 2 / HOUR_MS)) * HOUR_MS;
  const middleMs = Math.min(fromMs + halfMs, toMs);
  const figures = new Figures();
  await addFigures(figures, store, { fromMs, toMs: middleMs }, only);
  const isWhole = figures.requests > 0;
  await addFigures(figures, store, { fromMs: middleMs, toMs }, only);
  return { figures, isWhole };
}

async function addFigures(
  figures: Figures,
  store: SumParts["store"],
  span: Span,
  only: UsageFilter,
): Promise<void> {
  const find = (piece: Span) => listUsageSums(store, { ...piece, groupBy: [], only });
  await eachPiece(splitSpan(span), find, ({ usage, firstTokens }) => {
    for (const row of usage) figures.add(row);
    for (const row of firstTokens) figures.addFirstTokens(row);
  });
}
