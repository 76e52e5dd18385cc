// The router's benchmark: `bun test/selectors/training/bench.ts [--quick]` prints every figure for the shipped code and parameters.
import { join } from "node:path";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { loadShippedParameters } from "../../../src/selectors/text/parameters.ts";
import { hasData, type Pool, TEST_PART } from "./data.ts";
import { listDayOneChoices } from "./day-one/choices.ts";
import { listKinds, listStability } from "./day-one/kinds.ts";
import { listSavings, listTolerances } from "./day-one/saving.ts";
import { decisionTimes } from "./decision-times.ts";
import { computeCalibration, percent, shown } from "./statistics.ts";
import { listCeilings } from "./trials/ceiling.ts";
import { labelledTrial, type SavingDraw, savingTrial } from "./trials/labels.ts";
import { listParaphrases } from "./trials/paraphrase.ts";
import {
  type Fold,
  inDistribution,
  makeFold,
  newcomer,
  outOfDistribution,
  type PickResult,
  predictedAndSeen,
  retraining,
  SHIPPED,
  savedAt,
  savings,
} from "./trials/pools.ts";
import { publishedTrial } from "./trials/published.ts";

/** `--only=many,costs` runs these sections only. */
const only = process.argv
  .find((word) => word.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");
const quick = process.argv.includes("--quick");
const MANY: readonly Pool[] = ["llmrouter9", "zeroeval", "reasoning_gym", "mmlu_pro"];
/** Those for which answers' lengths or list prices of enough models are known. */
const COSTED = ["llmrouter9", "zeroeval", "mmlu_pro"] as const;
const PUBLISHED = [
  ["mmlu", 1500, quick ? 3 : 10, "0.603 (35.4/71.6)", 0.58],
  ["mmlu", 100, quick ? 6 : 16, "none", 0.535],
  ["gsm8k", 150, quick ? 6 : 24, "0.622 (33.6/63.3), with judge's labels", 0.58],
] as const;

/** A different part from the one scored in the tables above. */
const FRESH_PART = TEST_PART - 1;

function heading(text: string): void {
  console.log(`\n## ${text}\n`);
}

function reached(value: boolean): string {
  return value ? "reached" : "NOT reached";
}

function published(): void {
  heading("RouteLLM's two models (gpt-4-1106 and Mixtral 8x7B), few labels of the set");
  console.log(
    "| set, labels | rows scored | APGR (95 %) | CPT 50/80 | entropy of `best` | by length | by all words, offline | by true subject | published | aim |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const [set, labels, draws, other, aim] of PUBLISHED) {
    const { rows, apgr, cpt50, cpt80, entropy, byLength, bySubject, byWords } = publishedTrial(
      set,
      labels,
      draws,
    );
    const points = `${(cpt50 * 100).toFixed(1)}/${(cpt80 * 100).toFixed(1)}`;
    console.log(
      `| ${set}, ${labels} | ${rows} | ${shown(apgr)} | ${points} | ${entropy.toFixed(2)} | ${byLength.toFixed(3)} | ${byWords.toFixed(3)} | ${bySubject.toFixed(3)} | ${other} | ≥ ${aim}: ${reached(apgr.mean >= aim)} |`,
    );
  }
}

function pickTable(results: readonly PickResult[]): void {
  console.log(
    "| pool | rows | accuracy of the pick | best single | gain, points (95 %) | per-set oracle | per-query oracle | entropy |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const { name, rows, accuracy, bestSingle, gain, setOracle, queryOracle, entropy } of results) {
    const points = { mean: gain.mean * 100, low: gain.low * 100, high: gain.high * 100 };
    const cells = [
      rows,
      accuracy.toFixed(4),
      bestSingle.toFixed(4),
      shown(points, 2),
      setOracle.toFixed(4),
      queryOracle.toFixed(4),
      entropy.toFixed(2),
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

function many(): void {
  heading(
    "Picking one of many models, in distribution (`best`, shipped parameters, rows never learned from)",
  );
  pickTable(MANY.flatMap((pool) => inDistribution(pool, SHIPPED)));
}

function foreign(): void {
  heading("Out of distribution: each set in turn unseen by parameters, skill rows and labels");
  const retrained = retraining();
  const results = MANY.flatMap((pool) => outOfDistribution(pool, retrained));
  pickTable(results);
  console.log(
    "\nBest single is the best on all sets, the left-out one too. zeroeval has two sets: what is known of one is all there is to judge the other by. So a second line compares with the model that is best on the other sets alone.\n",
  );
  for (const { name, gain, overKnown } of results) {
    const { mean, low, high } = overKnown;
    const points = { mean: mean * 100, low: low * 100, high: high * 100 };
    console.log(
      `- ${name}: never more than 0.5 points below best single: ${reached(gain.low >= -0.005)} (lower bound ${(gain.low * 100).toFixed(2)})\n  - below the best of what was known: ${reached(low >= -0.005)} (${shown(points, 2)})`,
    );
  }
}

function costs(fold: Fold): void {
  heading("Cost saved by `fair` against always the best single model (list prices, real answer lengths)");
  for (const pool of COSTED) {
    const results = savings(pool, fold);
    for (const { dial, kept, saved } of results) {
      if (![1, 0.98, 0.95, 0.9].includes(dial)) continue;
      console.log(`- ${pool}, dial ${dial}: keeps ${shown(kept)}, saves ${shown(saved)}`);
    }
    const at = (share: number, aim: number) =>
      `${percent(savedAt(results, share))} at ${share * 100} % (aim ${aim * 100} %: ${reached(savedAt(results, share) >= aim)})`;
    console.log(`- ${pool}: saved ${at(0.98, 0.4)}, ${at(0.95, 0.62)}`);
  }
}

/** Skills are as flat as the labels' means, so that all else comes from the labels. Every part is scored in turn. */
function labels(): void {
  heading("Labels alone (`best`, flat skills, each part scored with labels and parameters of the others)");
  const folds = [SHIPPED, ...[0, 1, 2].map(makeFold)];
  console.log(
    "| pool | labelled prompts | rows | gain, points (95 %), the median draw | other draws | switched |",
  );
  console.log("|---|---|---|---|---|---|");
  for (const pool of MANY) {
    for (const count of [100, 300, 1000, 2000]) {
      const { rows, gain, draws, switched } = labelledTrial(pool, { labels: count, draws: 5, folds });
      const others = draws.map((draw) => draw.toFixed(2)).join(", ");
      console.log(`| ${pool} | ${count} | ${rows} | ${shown(gain, 2)} | ${others} | ${percent(switched)} |`);
    }
  }
}

/** The same for the cost that `fair` saves. */
function labelledCosts(): void {
  heading("Cost saved by `fair` with labels alone (flat skills, each part scored with labels of the others)");
  const folds = [SHIPPED, ...[0, 1, 2].map(makeFold)];
  console.log(
    "| pool | labelled prompts | saved at 98 %, by draw | at 95 %, by draw | dial 0.98, the median draw | dial 0.95, the median draw | least kept at 0.98, 0.95 |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (const pool of COSTED) {
    for (const count of [1000, 2000]) {
      const draws = savingTrial(pool, { labels: count, draws: 3, folds });
      const at = (draw: SavingDraw | undefined, dial: number) => draw?.dials.find((one) => one.dial === dial);
      const cell = (dial: number) => {
        const found = at(draws[1], dial);
        return found === undefined ? "" : `keeps ${shown(found.kept)}, saves ${shown(found.saved)}`;
      };
      const least = (dial: number) =>
        Math.min(...draws.map((draw) => at(draw, dial)?.kept.mean ?? Number.NaN)).toFixed(3);
      const cells = [
        draws.map(({ at98 }) => percent(at98)).join(", "),
        draws.map(({ at95 }) => percent(at95)).join(", "),
        cell(0.98),
        cell(0.95),
        `${least(0.98)}, ${least(0.95)}`,
      ];
      console.log(`| ${pool} | ${count} | ${cells.join(" | ")} |`);
    }
  }
}

function fresh(): void {
  heading("The same on another part, by parameters trained without it (constants were chosen on it too)");
  const fold = makeFold(FRESH_PART);
  pickTable(MANY.flatMap((pool) => inDistribution(pool, fold)));
  costs(fold);
}

function newcomers(): void {
  heading("The strongest model known by a skill row alone, the others by labels");
  for (const pool of MANY) {
    const { model, without, byRow, byLabels, chosen } = newcomer(pool);
    console.log(
      `- ${pool}, ${model}: accuracy ${byRow.toFixed(4)} (without it ${without.toFixed(4)}, with its labels ${byLabels.toFixed(4)}), chosen for ${percent(chosen)}`,
    );
  }
}

function calibration(): void {
  heading("Calibration: predicted quality against scores, all models on rows never learned from");
  for (const pool of MANY) {
    for (const withLabels of [false, true]) {
      const { error, bins } = computeCalibration(predictedAndSeen(pool, withLabels));
      const row = bins.map(({ predicted, seen }) => `${predicted.toFixed(2)}→${seen.toFixed(2)}`).join(" ");
      console.log(
        `- ${pool}, ${withLabels ? "labels learned" : "skill rows only"}: mean error ${percent(error)}; ${row}`,
      );
    }
  }
}

function paraphrases(): void {
  heading("The same pick for paraphrases (the shipped catalogue and profiles)");
  for (const line of listParaphrases(MANY)) console.log(line);
}

function dayOne(): void {
  heading("Day one: what is chosen for everyday prompts, without labels");
  for (const line of listDayOneChoices()) console.log(line);
  heading("Day one: the cost of `best` beside its earlier choices");
  for (const line of listSavings()) console.log(line);
  heading("Day one: cost over before, and quality against the best prediction, by the tolerance of `best`");
  for (const line of listTolerances()) console.log(line);
  heading("Day one: the kinds of everyday prompts, without labels");
  for (const line of listKinds()) console.log(line);
  heading("Day one: the same choice in another wrapping (`best`, `fair`, `light`)");
  for (const line of listStability()) console.log(line);
}

function ceiling(): void {
  heading("Cost saved if each question's set were known, by the sets' means");
  for (const line of listCeilings(COSTED)) console.log(line);
}

function speed(): void {
  heading(
    "Time of a decision as requests take it, milliseconds (this machine, one thread, uninterrupted), beside a loop of about the same length",
  );
  for (const line of decisionTimes(loadShippedCards())) console.log(line);
}

function sizes(): void {
  heading("Size of what is shipped");
  for (const name of ["text/parameters", "profiles", "text/words"]) {
    console.log(
      `- ${name}.data.json: ${Bun.file(join(import.meta.dir, `../../../src/selectors/${name}.data.json`)).size} bytes`,
    );
  }
  const { words, size } = loadShippedParameters();
  console.log(`- ${words} words × ${size}`);
}

const SECTIONS = {
  sizes,
  speed,
  paraphrases,
  "day-one": dayOne,
  published,
  many,
  labels,
  labelledCosts,
  foreign,
  costs: () => costs(SHIPPED),
  ceiling,
  fresh,
  newcomers,
  calibration,
};
const WITHOUT_DATA: readonly string[] = ["sizes", "speed", "paraphrases", "day-one"];
for (const [name, run] of Object.entries(SECTIONS)) {
  if (only?.includes(name) === false) continue;
  if (hasData() || WITHOUT_DATA.includes(name)) run();
  else console.log(`\nThe public rows aren't here: nothing is said of ${name}.`);
}
