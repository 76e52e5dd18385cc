// Sums over the decisions that the log's rows keep, made by the store: a decision is kilobytes of JSON.
import type { DecisionQuery, DecisionSum } from "../../core/log/decision-sums.ts";
import { type FoundRow, readInteger, readNumber, readText } from "../columns/found.ts";
import type { Engine, Statement } from "../engine/engine.ts";
import { Narrowing, narrowRequests } from "../engine/narrowing.ts";

const DAY_MS = 86_400_000;
/** A decimal: two integers would be divided as such. */
const NANO = "1000000000.0";

type SqlWords = Pick<Engine, "mark" | "asJson" | "itemsOf" | "byBytes">;

/** The figures that each candidate of a decision has beside its model. */
const EXPECTED = { level: "level", quality: "quality", cost: "cost_usd", ms: "latency_ms" } as const;

/** Each number is a sum of this expression, over one row for each answer. */
const SUMS = {
  requests: "1",
  promises: "CASE WHEN promised IS NULL THEN 0 ELSE 1 END",
  promised: "coalesce(promised, 0)",
  quality: "quality",
  best_quality: "best_quality",
  cost_nano: "cost_nano",
  // The expected price ratio applies to the same tokens. If the used model is free, there is no ratio.
  best_cost_usd: `CASE WHEN cost > 0 THEN cost_nano * best_cost / cost / ${NANO} ELSE best_cost END`,
  saved_ms: "best_ms - ms",
  judged: "CASE WHEN score IS NULL THEN 0 ELSE 1 END",
  s: "coalesce(score, 0)",
  b: "CASE WHEN score IS NULL THEN 0 ELSE best_quality END",
  ss: "coalesce(score * score, 0)",
  sb: "coalesce(score * best_quality, 0)",
  bb: "CASE WHEN score IS NULL THEN 0 ELSE best_quality * best_quality END",
} as const;

/** Casts a value of JSON, which one engine returns as text. */
function asNumber(value: string): string {
  return `CAST(${value} AS DOUBLE PRECISION)`;
}

export function composeDecisionSums(
  { fromMs, toMs, selectors, scope }: DecisionQuery,
  { mark, asJson, itemsOf, byBytes }: SqlWords,
): Statement {
  const by = new Narrowing(mark);
  narrowRequests(by, { ended: "done", fromMs, toMs, scope });
  by.add(`selector IN (${selectors.map((one) => by.bind(one)).join(", ")})`);
  by.add("decision IS NOT NULL");
  const decided = `SELECT account_id, id, at_ms - at_ms % ${DAY_MS} AS day_ms, selector, model_used, cost_nano,
    ${asJson("decision")} AS decision FROM request WHERE ${by.where}`;
  const expected = Object.entries(EXPECTED).map(
    ([name, field]) => `coalesce(${asNumber(`item.value->>'${field}'`)}, 0) AS ${name}`,
  );
  // SQLite's table of items has columns of these names too.
  const weighed = `SELECT decided.account_id, decided.id, day_ms, selector, model_used, cost_nano,
    ${asNumber("decision->>'promised'")} AS promised, item.value->>'model' AS model, ${expected.join(", ")}
    FROM decided CROSS JOIN ${itemsOf("decision->'candidates'")}`;
  const best = ["model", "quality", "cost", "ms"].map(
    (name) => `FIRST_VALUE(${name}) OVER best_first AS best_${name}`,
  );
  const ranked = `SELECT weighed.*, ${best.join(", ")} FROM weighed
    WINDOW best_first AS (PARTITION BY account_id, id ORDER BY level DESC, model ${byBytes})`;
  const score = asNumber(`${asJson("lesson.marks")}->0->>1`);
  const scored = `SELECT ranked.*, CASE WHEN lesson.id IS NULL THEN NULL ELSE coalesce(${score}, 0) END AS score
    FROM ranked LEFT JOIN lesson
      ON lesson.account_id = ranked.account_id AND lesson.id = ranked.id AND lesson.source = 'score'
    WHERE ranked.model = ranked.model_used`;
  const sums = Object.entries(SUMS).map(([name, of]) => `sum(${of}) AS ${name}`);
  const text = `WITH decided AS (${decided}), weighed AS (${weighed}), ranked AS (${ranked}), scored AS (${scored})
    SELECT day_ms, selector, best_model, ${sums.join(", ")} FROM scored
    GROUP BY day_ms, selector, best_model ORDER BY day_ms, selector, best_model`;
  return { text, values: by.values };
}

export function readDecisionSum(row: FoundRow): DecisionSum {
  const read = (name: keyof typeof SUMS) => readNumber(row, name);
  return {
    dayMs: readInteger(row, "day_ms"),
    selector: readText(row, "selector"),
    bestModel: readText(row, "best_model"),
    requests: read("requests"),
    promises: read("promises"),
    promised: read("promised"),
    quality: read("quality"),
    bestQuality: read("best_quality"),
    costNanoUsd: read("cost_nano"),
    bestCostUsd: read("best_cost_usd"),
    savedMs: read("saved_ms"),
    judged: read("judged"),
    s: read("s"),
    b: read("b"),
    ss: read("ss"),
    sb: read("sb"),
    bb: read("bb"),
  };
}
