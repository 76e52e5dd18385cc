// Generates `profiles.data.json` and `benchmarks.data.json` in `src/selectors`, the facts on each card: `bun
// test/selectors/training/profiles.ts`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { SKILLS } from "../../../src/core/models/skill.ts";
import { averageFinite, type Measured, measured, parseRun } from "./benchmarks.ts";
import { estimateSpeed, estimateThinking } from "./speeds.ts";

/** The card's model → its name in the benchmarks, if the spelling differs. */
const SPELT: Readonly<Record<string, string>> = {
  "grok-4.20-0309-reasoning": "grok-4.20-reasoning",
  "grok-4.20-0309-non-reasoning": "grok-4.20-non-reasoning",
  "kimi-k2.5": "kimi-k2.5-thinking",
  "kimi-k2.6": "kimi-k2.6-thinking",
  "kimi-k2-instruct-0905": "kimi-k2-instruct",
  "gpt-5-chat-latest": "gpt-5",
  "llama-4-maverick-17b-128e-instruct": "llama4-maverick-instruct-basic",
  "llama-4-maverick-17b-128e-instruct-fp8": "llama4-maverick-instruct-basic",
  sonar: "perplexity-sonar",
  "sonar-pro": "perplexity-sonar-pro",
  "qwen3-235b-a22b": "qwen3-235b-a22b-thinking",
  "qwen3-32b": "qwen3-32b-thinking",
  "qwen3-14b": "qwen3-14b-thinking",
  "llama-3.1-70b-instruct": "meta-llama-3.1-70b-instruct-turbo",
  "llama-3.1-8b-instruct": "meta-llama-3.1-8b-instruct-turbo",
  "llama-3.3-70b-instruct": "llama-3.3-70b-instruct-turbo",
  "qwen2-5-72b-instruct": "qwen2.5-72b-instruct-turbo",
  "qwen2-5-7b-instruct": "qwen2.5-7b-instruct-turbo",
  "mimo-v2.5-pro": "mimo-v2-pro",
  "mistral-small-2603": "mistral-small-2603",
  "qwen-max": "qwen2.5-max",
  "zai-glm-4.7": "glm-4.7",
  "gpt-oss-120b:free": "gpt-oss-120b",
  "gemma-4-31b-it:free": "gemma-4-31b-it",
};
const NOISE_OF_OVERALL = 0.15;
const YEAR_SECONDS = 365.25 * 86_400;
const NOW = Date.UTC(2026, 10, 20) / 1000;

interface Known {
  readonly card: ModelCard;
  readonly rows: readonly Measured[];
  readonly level: number | null;
}

function nameOf(card: ModelCard): string {
  const last = card.name.toLowerCase().split("/").pop() ?? "";
  const dotted = last
    .replace(/(?<=[a-z]\d|glm-\d|minimax-m\d)p(?=\d)/, ".")
    .replace(/(claude-\w+-\d)\.(\d)/, "$1-$2")
    .replace(/-(fast|turbo|highspeed)$/, "");
  return SPELT[last] ?? SPELT[dotted] ?? dotted;
}

/** The rows of the card's model, best source first. */
function rowsOf(card: ModelCard, all: readonly Measured[]): readonly Measured[] {
  const exact = nameOf(card);
  const bare = parseRun(exact).name;
  const plain = bare.replace(/-(instruct|it)(-turbo)?$/, "");
  return all.filter(({ name }) => name === exact || name === bare || name === plain);
}

/** The features from price, date and name, for the imputation's mean. */
function facts(card: ModelCard): readonly number[] {
  const price = Math.log2(0.05 + (card.price?.output ?? sizePrice(card)));
  const years = card.created === 0 ? 0.1 : (NOW - card.created) / YEAR_SECONDS;
  const size = Math.log2(paramsOf(card));
  return [1, price / 3, -years, card.capabilities.has("reasoning") ? 1 : 0, size / 4];
}

/** The number of parameters in billions from the model's name, or 100 if the name doesn't state it. */
function paramsOf(card: ModelCard): number {
  const found = /(?:^|[-_])(\d+(?:\.\d+)?)b(?:-|$|:)/.exec(card.name.toLowerCase().split("/").pop() ?? "");
  return found === null ? 100 : Math.max(0.5, Number(found[1]));
}

function sizePrice(card: ModelCard): number {
  return 0.02 * paramsOf(card) ** 0.8;
}

/** The words of a name before its version, shared by one line of models. */
function lineOf(card: ModelCard): string {
  return nameOf(card)
    .replace(/[-.]?\d[\w.]*/g, "")
    .replace(/-(preview|latest|instruct|it|code|codex)/g, "");
}

/** The closeness of two models: same line, similar date and price. */
function kernel(one: ModelCard, other: ModelCard): number {
  const a = facts(one);
  const b = facts(other);
  const apart =
    ((a[1] ?? 0) - (b[1] ?? 0)) ** 2 * 2 +
    ((a[2] ?? 0) - (b[2] ?? 0)) ** 2 * 1.5 +
    ((a[4] ?? 0) - (b[4] ?? 0)) ** 2;
  const line = lineOf(one) === lineOf(other) ? 0.6 : 0;
  const maker = one.ownedBy === other.ownedBy ? 0.25 : 0;
  return Math.exp(-apart) * (line + maker + 0.15);
}

interface Imputer {
  readonly levelOf: (card: ModelCard) => { readonly level: number; readonly spread: number };
  readonly weights: readonly number[];
}

/** A linear mean by price, date and size, with a Gaussian process by family on the residuals. */
function imputer(known: readonly { card: ModelCard; level: number }[]): Imputer {
  const width = 5;
  const weights = solved(
    Array.from({ length: width }, (_, i) =>
      Array.from({ length: width }, (_, j) =>
        known.reduce(
          (sum, { card }) => sum + (facts(card)[i] ?? 0) * (facts(card)[j] ?? 0),
          i === j ? 1.5 : 0,
        ),
      ),
    ),
    Array.from({ length: width }, (_, i) =>
      known.reduce((sum, { card, level }) => sum + (facts(card)[i] ?? 0) * level, 0),
    ),
  );
  const mean = (card: ModelCard) => facts(card).reduce((sum, fact, at) => sum + fact * (weights[at] ?? 0), 0);
  const system = known.map(({ card }, i) =>
    known.map((other, j) => kernel(card, other.card) + (i === j ? NOISE_OF_OVERALL : 0)),
  );
  const left = solved(
    system,
    known.map(({ card, level }) => level - mean(card)),
  );
  return {
    weights,
    levelOf: (card) => {
      const near = known.map((one) => kernel(card, one.card));
      const gained = solved(system, near).reduce((sum, value, at) => sum + value * (near[at] ?? 0), 0);
      const level = mean(card) + near.reduce((sum, value, at) => sum + value * (left[at] ?? 0), 0);
      return { level, spread: Math.sqrt(Math.max(0.05, 1 - gained)) * 0.75 };
    },
  };
}

/** Solves a symmetric positive system by Gaussian elimination. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot++) {
    const top = rows[pivot] ?? [];
    for (let below = pivot + 1; below < size; below++) {
      const row = rows[below] ?? [];
      const factor = (row[pivot] ?? 0) / (top[pivot] ?? 1);
      if (factor !== 0)
        for (let at = pivot; at <= size; at++) row[at] = (row[at] ?? 0) - factor * (top[at] ?? 0);
    }
  }
  const result = new Array<number>(size).fill(0);
  for (let at = size - 1; at >= 0; at--) {
    const row = rows[at] ?? [];
    let sum = row[size] ?? 0;
    for (let later = at + 1; later < size; later++) sum -= (row[later] ?? 0) * (result[later] ?? 0);
    result[at] = sum / (row[at] ?? 1);
  }
  return result;
}

/** The scale's 0 is the current LiveBench's mean. The probabilities of a good answer there, and one unit above. */
const USUAL_LOGIT = 1;
const UNIT_LOGIT = 0.65;

function shareOf(skill: number): number {
  return 1 / (1 + Math.exp(-(USUAL_LOGIT + UNIT_LOGIT * skill)));
}

export function buildProfiles() {
  const all = measured();
  const cards = loadShippedCards();
  const known: Known[] = cards.map((card) => {
    const rows = rowsOf(card, all);
    const first = rows[0];
    const values = Object.values(first?.skills ?? {});
    // A single benchmark of one kind doesn't determine a level.
    return { card, rows, level: values.length < 3 ? null : averageFinite(values) };
  });
  // A model served by several providers counts once.
  const levels = new Map(
    known.flatMap(({ card, level }) => (level === null ? [] : [[nameOf(card), { card, level }] as const])),
  );
  const imputing = imputer([...levels.values()]);
  topLevel = Math.max(...[...levels.values()].map(({ level }) => level));
  const rows = known.map((one) => profileRow(one, imputing));
  return { rows, unknown: imputing.weights.map((weight) => Number(weight.toFixed(4))) };
}

/** A guess never exceeds the best measured level. */
let topLevel = 0;

function profileRow({ card, rows, level }: Known, imputing: Imputer) {
  const imputed = imputing.levelOf(card);
  const guessed = { level: Math.min(imputed.level, topLevel), spread: Math.max(0.6, imputed.spread) };
  const overall = level ?? guessed.level;
  const skills: number[] = [];
  const spreads: number[] = [];
  for (const skill of SKILLS) {
    const row = rows.find(({ skills: own }) => own[skill] !== undefined);
    const value = row?.skills[skill] ?? overall;
    const spread = row?.spread ?? (level === null ? guessed.spread : 0.45);
    // A single row is noisy, so it is pulled a little towards the model's level.
    const pulled = row === undefined ? value : overall + (value - overall) * 0.85;
    const share = shareOf(pulled);
    skills.push(Math.round(share * 1000));
    spreads.push(Math.round(1000 * spread * UNIT_LOGIT * share * (1 - share)) + 5);
  }
  const [first] = rows;
  const named = (values: readonly number[]) =>
    Object.fromEntries(SKILLS.map((skill, at) => [skill, (values[at] ?? 0) / 1000]));
  return {
    benchmark: first && {
      id: card.id,
      source: first.source,
      date: first.date,
      skills: named(skills),
      spreads: named(spreads),
    },
    profile: {
      id: card.id,
      ...(first === undefined ? { guess: [skills[0] ?? 0, spreads[0] ?? 0] } : {}),
      ...estimateSpeed(card, paramsOf(card)),
      thinking: estimateThinking(card),
    },
  };
}

/** Returns the text of a data file with a row per line. */
function formatRows(head: string, rows: readonly object[]): string {
  return `{\n${head}"rows":[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]}\n`;
}

if (import.meta.main) {
  const { rows, unknown } = buildProfiles();
  const folder = join(import.meta.dir, "..", "..", "..", "src", "selectors");
  const profiles = rows.map(({ profile }) => profile);
  const benchmarks = rows.flatMap(({ benchmark }) => benchmark ?? []);
  writeFileSync(
    join(folder, "profiles.data.json"),
    formatRows(`"unknown":${JSON.stringify(unknown)},\n`, profiles),
  );
  writeFileSync(join(folder, "benchmarks.data.json"), formatRows("", benchmarks));
  console.log(`${folder}: ${profiles.length} cards, ${benchmarks.length} measured`);
}
