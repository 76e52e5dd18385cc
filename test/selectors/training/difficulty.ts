// The difficulty of each question and the ability of each model on one scale in log-odds: a Rasch model over all pools.
import type { Table } from "./data.ts";

/** The same model's names in different pools. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/llama-3[._]1-405b/, "llama-3.1-405b"],
  [/llama-3[._]1-70b-instruct/, "llama-3.1-70b"],
  [/llama-3[._]1-8b-instruct/, "llama-3.1-8b"],
  [/llama-3\.3-70b/, "llama-3.3-70b"],
  [/mixtral-8x7b-instruct/, "mixtral-8x7b"],
  [/phi-3-mini/, "phi-3-mini"],
  [/gemma-2-9b/, "gemma-2-9b"],
  [/qwen2\.5-7b/, "qwen2.5-7b"],
  [/claude-3[.-]5-sonnet/, "claude-3.5-sonnet"],
  [/gemini-1\.5-flash/, "gemini-1.5-flash"],
  [/gemini-1\.5-pro/, "gemini-1.5-pro"],
  [/command-r(-v01)?$/, "command-r"],
];
const ROUNDS = 30;
const PRIOR_PRECISION_QUESTION = 0.35;
const PRIOR_PRECISION_MODEL = 0.05;

function sameName(model: string): string {
  const name = model.toLowerCase();
  return SAME.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}

/** One difficulty per row of each table, in log-odds around 0. A row with no scores is 0. */
export function fitDifficulties(tables: readonly Table[]): readonly Float32Array[] {
  const names = [...new Set(tables.flatMap(({ models }) => models.map(sameName)))];
  const ability = new Float64Array(names.length);
  const hard = tables.map(({ rows }) => new Float32Array(rows.length));
  const places = tables.map(({ models }) => models.map((model) => names.indexOf(sameName(model))));
  for (let round = 0; round < ROUNDS; round++) {
    const slope = new Float64Array(names.length);
    const curve = new Float64Array(names.length).fill(PRIOR_PRECISION_MODEL);
    for (const [t, { rows }] of tables.entries()) {
      for (const [r, { scores }] of rows.entries()) {
        const mine = hard[t]?.[r] ?? 0;
        let up = -PRIOR_PRECISION_QUESTION * mine;
        let bend = PRIOR_PRECISION_QUESTION;
        for (const [m, score] of scores.entries()) {
          if (Number.isNaN(score)) continue;
          const at = places[t]?.[m] ?? 0;
          const chance = 1 / (1 + Math.exp(mine - (ability[at] ?? 0)));
          up += chance - score;
          bend += chance * (1 - chance);
          slope[at] = (slope[at] ?? 0) + score - chance;
          curve[at] = (curve[at] ?? 0) + chance * (1 - chance);
        }
        const mineNext = mine + Math.max(-1, Math.min(1, up / bend));
        hard[t]?.fill(mineNext, r, r + 1);
      }
    }
    for (const at of names.keys()) ability[at] = (ability[at] ?? 0) + (slope[at] ?? 0) / (curve[at] ?? 1);
  }
  const all = hard.flatMap((values) => [...values]);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return hard.map((values) => values.map((value) => value - mean));
}
