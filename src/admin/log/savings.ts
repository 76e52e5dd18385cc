// A weekly report on the selectors with a dial: the promised and the kept share of quality, and the savings.
import { type Static, Type } from "@sinclair/typebox";
import type { DecisionSum } from "../../core/log/decision-sums.ts";
import { SELECTORS } from "../../core/models/selector.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import { remember } from "../../core/world/remember.ts";
import { allowNull, closeObject, share, text, usd, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";

const WEEKS = 4;
const WEEKS_MAX = 12;
const DAYS_OF_WEEK = 7;
const DAY_MS = 86_400_000;
const WEEK_MS = DAYS_OF_WEEK * DAY_MS;
/** The first Monday of 1970: the epoch began on a Thursday. */
const MONDAY_MS = 4 * DAY_MS;
/** Requests that began on a day may end on the next. Sums of earlier days are kept a while: clients still score answers. */
const SETTLED_MS = 2 * DAY_MS;
const KEPT_MS = 3_600_000;
/** The most days kept, over all scopes. */
const KEPT_MAX = 1000;
/** Fewer scores say too little about the quality that was kept. */
const JUDGED_MIN = 30;

export const savingsQuery = closeObject({
  weeks: Type.Optional(Type.Integer({ minimum: 1, maximum: WEEKS_MAX, default: WEEKS })),
});

const rowSchema = Type.Object({
  week: Type.String({ format: "date", description: "The Monday on which the week starts, in UTC." }),
  selector: text,
  requests: Type.Integer({ minimum: 0, description: "The number of requests that were counted." }),
  is_whole: Type.Boolean({
    description: "True: all of the week's requests are counted. Earlier versions counted the newest 1000.",
  }),
  promised: allowNull(share),
  predicted: Type.Number({
    description: "The predicted quality of the models that answered, as a share of the best model's.",
  }),
  judged: Type.Integer({ minimum: 0, description: "The number of requests that clients scored." }),
  kept: allowNull(
    Type.Number({
      description: `The mean score, as a share of the quality predicted for the best model. Null if fewer than ${JUDGED_MIN} requests were scored.`,
    }),
  ),
  kept_error: allowNull(Type.Number({ description: "The standard error of `kept`." })),
  cost_usd: usd,
  best_cost_usd: Type.Number({ description: "The estimated cost with the best model, in USD." }),
  best_model: Type.String({ description: "The model that was best for the most of these requests." }),
  saved_usd: usd,
  saved_ms: Type.Number({ description: "How much sooner an answer was expected to be complete." }),
});
type SavingsRow = View<typeof rowSchema>;

export const savingsSchema = Type.Object({ data: Type.Array(rowSchema) });
export type Savings = View<typeof savingsSchema>;

type SavingsParts = Pick<AdminWorld, "store" | "clock">;

const DIALED = SELECTORS.filter((name) => name !== "best").map((name) => `Router#${name}`);

/** Returns weeks with requests, newest first. Costs and qualities are those that the decisions expected. */
export async function sumSavings(
  { store, clock }: SavingsParts,
  { weeks = WEEKS }: Static<typeof savingsQuery>,
  scope?: Scope,
): Promise<Savings> {
  const nowMs = clock.nowMs();
  const newestMs = nowMs - ((nowMs - MONDAY_MS) % WEEK_MS);
  const days = keepDays(store);
  const data: SavingsRow[] = [];
  for (let week = 0; week < weeks; week++) {
    const fromMs = newestMs - week * WEEK_MS;
    const starts = Array.from({ length: DAYS_OF_WEEK }, (_, day) => fromMs + day * DAY_MS);
    const past = starts.filter((dayMs) => dayMs <= nowMs);
    const sums = (await Promise.all(past.map((dayMs) => days.read(dayMs, nowMs, scope)))).flat();
    for (const selector of DIALED) {
      const own = sums.filter((sum) => sum.selector === selector);
      if (own.length === 0) continue;
      const day = new Date(fromMs).toISOString().slice(0, 10);
      data.push({ week: day, selector, is_whole: true, ...viewSums(own) });
    }
  }
  return { data };
}

const keepDays = remember((store: SavingsParts["store"]) => new KeptDays(store));

/** The sums of days, each of which the store makes from all rows of the day. */
class KeptDays {
  readonly #store: SavingsParts["store"];
  readonly #kept = new Map<string, { readonly untilMs: number; readonly sums: readonly DecisionSum[] }>();

  constructor(store: SavingsParts["store"]) {
    this.#store = store;
  }

  async read(dayMs: number, nowMs: number, scope: Scope | undefined): Promise<readonly DecisionSum[]> {
    const name = JSON.stringify([dayMs, scope ?? null]);
    const kept = this.#kept.get(name);
    if (kept !== undefined && nowMs < kept.untilMs) return kept.sums;
    const sums = await this.#store.decisionSums({
      fromMs: dayMs,
      toMs: dayMs + DAY_MS,
      selectors: DIALED,
      scope,
    });
    if (dayMs + SETTLED_MS <= nowMs) this.#keep(name, { untilMs: nowMs + KEPT_MS, sums });
    return sums;
  }

  #keep(name: string, kept: { readonly untilMs: number; readonly sums: readonly DecisionSum[] }): void {
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function viewSums(sums: readonly DecisionSum[]): Omit<SavingsRow, "week" | "selector" | "is_whole"> {
  const total = (of: (sum: DecisionSum) => number) => sums.reduce((all, one) => all + of(one), 0);
  const requests = total((sum) => sum.requests);
  const promises = total((sum) => sum.promises);
  const bestQuality = total((sum) => sum.bestQuality);
  const judged = total((sum) => sum.judged);
  const costUsd = toUsd(total((sum) => sum.costNanoUsd));
  const bestCostUsd = total((sum) => sum.bestCostUsd);
  const { kept, error } = judged < JUDGED_MIN ? { kept: null, error: null } : measureKept(total);
  return {
    requests,
    promised: promises === 0 ? null : total((sum) => sum.promised) / promises,
    predicted: bestQuality === 0 ? 1 : total((sum) => sum.quality) / bestQuality,
    judged,
    kept,
    kept_error: error,
    cost_usd: costUsd,
    best_cost_usd: bestCostUsd,
    best_model: findMostBest(sums),
    saved_usd: bestCostUsd - costUsd,
    saved_ms: Math.round(total((sum) => sum.savedMs) / requests),
  };
}

/** Ties go to the lowest id. */
function findMostBest(sums: readonly DecisionSum[]): string {
  const counts = new Map<string, number>();
  for (const { bestModel, requests } of sums) counts.set(bestModel, (counts.get(bestModel) ?? 0) + requests);
  const [first] = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  return first?.[0] ?? "";
}

/** Returns the ratio of two means, and its standard error, from sums of squares and products. */
function measureKept(total: (of: (sum: DecisionSum) => number) => number): {
  readonly kept: number;
  readonly error: number;
} {
  const best = total(({ b }) => b);
  if (best === 0) return { kept: 1, error: 0 };
  const kept = total(({ s }) => s) / best;
  // Rounding may leave less than nothing where all scores are as predicted.
  const squares = Math.max(
    0,
    total(({ ss, sb, bb }) => ss - 2 * kept * sb + kept ** 2 * bb),
  );
  return { kept, error: Math.sqrt(squares) / best };
}
