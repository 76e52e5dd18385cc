// The duration of a selector's decision, for several request lengths and catalogue sizes.
import type { ModelCard } from "../../../src/core/models/card.ts";
import { LearnedModels } from "../../../src/learning/learned.ts";
import { choose } from "../../../src/selectors/choose.ts";
import { fair } from "../../../src/selectors/fair.ts";
import { readFeatures } from "../../../src/selectors/text/features.ts";
import { predict } from "../../../src/selectors/text/predictor.ts";
import { makeRequest, RULES } from "./pools.ts";
import { ownPrompts } from "./prompts.ts";
import { teachScore } from "./teach.ts";

/** Characters of the prompt, cards, and cards with lessons. */
const SIZES = [
  [2_000, 120, 0],
  [2_000, 344, 0],
  [2_000, 344, 344],
  [200_000, 120, 0],
  [200_000, 344, 0],
  [200_000, 344, 344],
  [2_000, 10_000, 0],
] as const;

const ROUNDS = 4000;
const LOOP_ROUNDS = 3000;

/** A line per size with p50 and p99 in milliseconds. All sizes run once before, so that compiled code is measured. */
export function decisionTimes(catalogue: readonly ModelCard[]): readonly string[] {
  const timed = SIZES.map(([chars, cards, taughtCards]) => ({
    what: `${chars / 1000} kB, ${cards} models, ${taughtCards} of them taught`,
    run: decisionOf(chars, manyOf(catalogue, cards), taughtCards),
  }));
  for (const { run } of timed) timesOf(run, ROUNDS);
  return timed.map(({ what, run }) => {
    const times = timesOf(run, ROUNDS);
    const rounds = Math.round((times[times.length >> 1] ?? 0.1) * 1e6);
    const loop = timesOf(() => spin(rounds), LOOP_ROUNDS);
    return `- ${what}: ${shown(times)} (loop: ${shown(loop)})`;
  });
}

function shown(times: readonly number[]): string {
  const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(3);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}`;
}

function decisionOf(chars: number, cards: readonly ModelCard[], taughtCards: number): () => void {
  const text = ownPrompts(12, 5).map(({ prompt }) => prompt);
  const request = makeRequest(text.join(" ").repeat(20).slice(0, chars));
  const learned = new LearnedModels();
  const prediction = predict(readFeatures(request));
  for (const { id } of cards.slice(0, taughtCards)) {
    teachScore(learned, prediction, { model: id, score: 0.5, expected: 0.5 });
  }
  learned.fit();
  const input = { request, needs: new Map(), cards, rules: RULES, quality: 0.98, learned };
  return () => void choose(fair, input);
}

/** Cards beyond the catalogue's are copies of its first one, each at a different price. */
function manyOf(catalogue: readonly ModelCard[], count: number): readonly ModelCard[] {
  const copies = catalogue.slice(0, 1).flatMap((card) =>
    Array.from({ length: Math.max(0, count - catalogue.length) }, (_, at) => ({
      ...card,
      id: `${card.id}-${at}`,
      price: { input: 0.5 + at / 1000, output: 1 + at / 500 },
    })),
  );
  return [...catalogue.slice(0, count), ...copies];
}

/** Sorted milliseconds of the runs that were not interrupted by another process. */
function timesOf(run: () => void, rounds: number): readonly number[] {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const interrupted = process.resourceUsage().involuntaryContextSwitches;
    const from = performance.now();
    run();
    const time = performance.now() - from;
    if (process.resourceUsage().involuntaryContextSwitches === interrupted) times.push(time);
  }
  return times.toSorted((a, b) => a - b);
}

let spun = 0;
function spin(rounds: number): void {
  for (let round = 0; round < rounds; round++) spun = (Math.imul(spun, 31) + round) | 0;
}
