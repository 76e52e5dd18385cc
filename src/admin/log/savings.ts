// A weekly report on the selectors with a dial: the promised and the kept share of quality, and the savings.
import { type Static, Type } from "@sinclair/typebox";
import { asArray, asNumber, asObject, type JsonObject, parseJson } from "../../core/json/json.ts";
import type { RequestFilter } from "../../core/log/log-query.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import { SELECTORS } from "../../core/models/selector.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import { readPages } from "../../core/world/read-pages.ts";
import { readLessons } from "../models/lessons.ts";
import { allowNull, closeObject, share, text, usd, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";

const WEEKS = 4;
const WEEKS_MAX = 12;
const WEEK_MS = 7 * 86_400_000;
/** The first Monday of 1970: the epoch began on a Thursday. */
const MONDAY_MS = 4 * 86_400_000;
/** Only the newest requests of each week and selector are read, and only the earliest scores of the whole period. */
const REQUESTS_MAX = 1000;
const SCORES_MAX = 5000;
/** The number of rows read at once. It divides the most requests. */
const PAGE = 200;
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
    description: `False if only the newest ${REQUESTS_MAX} requests of the week were counted.`,
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
type Row = View<typeof rowSchema>;

export const savingsSchema = Type.Object({ data: Type.Array(rowSchema) });
export type Savings = View<typeof savingsSchema>;

type Parts = Pick<AdminWorld, "store" | "clock">;

/** Returns weeks with requests, newest first. Costs and qualities are those that the decisions expected. */
export async function sumSavings(
  { store, clock }: Parts,
  { weeks = WEEKS }: Static<typeof savingsQuery>,
  scope?: Scope,
): Promise<Savings> {
  const nowMs = clock.nowMs();
  const newestMs = nowMs - ((nowMs - MONDAY_MS) % WEEK_MS);
  const scores = await readScores(store, newestMs - (weeks - 1) * WEEK_MS);
  const data: Row[] = [];
  for (let week = 0; week < weeks; week++) {
    const fromMs = newestMs - week * WEEK_MS;
    for (const selector of SELECTORS.filter((name) => name !== "best")) {
      const sums = new Sums();
      const filter = {
        selector: `Router#${selector}`,
        ended: "done",
        scope,
        fromMs,
        toMs: fromMs + WEEK_MS,
      } as const;
      const isWhole = await eachRecord(store, filter, (record) => sums.add(record, scores));
      if (sums.requests === 0) continue;
      const day = new Date(fromMs).toISOString().slice(0, 10);
      data.push({ week: day, selector: filter.selector, is_whole: isWhole, ...sums.view() });
    }
  }
  return { data };
}

/** Returns the clients' scores of completions, by account and id. */
async function readScores(store: Parts["store"], fromMs: number): Promise<ReadonlyMap<string, number>> {
  const scores = new Map<string, number>();
  let read = 0;
  for await (const lessons of readLessons(store, fromMs, PAGE)) {
    for (const { source, accountId, id, marks } of lessons)
      if (source === "score") scores.set(`${accountId} ${id}`, marks[0]?.score ?? 0);
    read += lessons.length;
    if (read >= SCORES_MAX) break;
  }
  return scores;
}

/** Reads the newest requests first, up to `REQUESTS_MAX`. Returns false if there are more. */
async function eachRecord(
  store: Parts["store"],
  filter: RequestFilter,
  use: (record: RequestRecord) => void,
): Promise<boolean> {
  let seen = 0;
  for await (const records of readPages((page) => store.requests(filter, page), PAGE)) {
    if (seen >= REQUESTS_MAX) return false;
    for (const record of records) use(record);
    seen += records.length;
  }
  return true;
}

class Sums {
  requests = 0;
  #promised = 0;
  #promises = 0;
  #quality = 0;
  #bestQuality = 0;
  #costUsd = 0;
  #bestCostUsd = 0;
  #savedMs = 0;
  /** The requests for which a model was the best. */
  readonly #best = new Map<string, number>();
  readonly #judged: { readonly score: number; readonly best: number }[] = [];

  add(record: RequestRecord, scores: ReadonlyMap<string, number>): void {
    const decision = asObject(parseJson(record.decision ?? ""));
    const candidates = asArray(decision.candidates).map(asObject);
    const used = candidates.find(({ model }) => model === record.modelUsed);
    const best = findBest(candidates);
    if (used === undefined || best === undefined) return;
    const own = readExpected(used);
    const other = readExpected(best);
    const costUsd = toUsd(record.costNanoUsd);
    this.requests++;
    const bestModel = String(best.model);
    this.#best.set(bestModel, (this.#best.get(bestModel) ?? 0) + 1);
    const promised = asNumber(decision.promised);
    this.#promised += promised ?? 0;
    this.#promises += promised === undefined ? 0 : 1;
    this.#quality += own.quality;
    this.#bestQuality += other.quality;
    this.#costUsd += costUsd;
    // The expected price ratio applies to the same tokens. If the used model is free, there is no ratio.
    this.#bestCostUsd += own.costUsd > 0 ? (costUsd * other.costUsd) / own.costUsd : other.costUsd;
    this.#savedMs += other.ms - own.ms;
    const score = scores.get(`${record.accountId} ${record.id}`);
    if (score !== undefined) this.#judged.push({ score, best: other.quality });
  }

  view(): Omit<Row, "week" | "selector" | "is_whole"> {
    const judged = this.#judged.length;
    const { kept, error } = judged < JUDGED_MIN ? { kept: null, error: null } : this.#measureKept();
    return {
      requests: this.requests,
      promised: this.#promises === 0 ? null : this.#promised / this.#promises,
      predicted: this.#bestQuality === 0 ? 1 : this.#quality / this.#bestQuality,
      judged,
      kept,
      kept_error: error,
      cost_usd: this.#costUsd,
      best_cost_usd: this.#bestCostUsd,
      best_model: this.#findMostBest(),
      saved_usd: this.#bestCostUsd - this.#costUsd,
      saved_ms: Math.round(this.#savedMs / this.requests),
    };
  }

  /** Ties go to the lowest id. */
  #findMostBest(): string {
    const [first] = [...this.#best].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    return first?.[0] ?? "";
  }

  #measureKept(): { readonly kept: number; readonly error: number } {
    const count = this.#judged.length;
    const total = (value: (one: { readonly score: number; readonly best: number }) => number) =>
      this.#judged.reduce((sum, one) => sum + value(one), 0);
    const best = total((one) => one.best);
    const kept = best === 0 ? 1 : total(({ score }) => score) / best;
    const squares = total(({ score, best }) => (score - kept * best) ** 2);
    return { kept, error: best === 0 ? 0 : Math.sqrt(squares / count) / Math.sqrt(count) / (best / count) };
  }
}

/** Returns the best overall. Ties go to the lowest id, as in the selectors. */
function findBest(candidates: readonly JsonObject[]): JsonObject | undefined {
  const readLevel = (one: JsonObject) => asNumber(one.level) ?? 0;
  const [best] = candidates.toSorted(
    (a, b) => readLevel(b) - readLevel(a) || (String(a.model) < String(b.model) ? -1 : 1),
  );
  return best;
}

function readExpected(one: JsonObject) {
  return {
    quality: asNumber(one.quality) ?? 0,
    costUsd: asNumber(one.cost_usd) ?? 0,
    ms: asNumber(one.latency_ms) ?? 0,
  };
}
