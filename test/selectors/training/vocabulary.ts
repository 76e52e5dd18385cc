// The hashed words that the predictor knows, and a prompt as a sparse row over them.
import type { HashCounts } from "../../../src/selectors/text/hash-index.ts";

export interface SparseRow {
  readonly at: Uint16Array;
  /** Normalised to a sum of squares of 1. */
  readonly values: Float32Array;
  /** The known share of the prompt's words, weighted by rarity. */
  readonly known: number;
}

export interface Vocabulary {
  /** Ascending. */
  readonly hashes: Uint32Array;
  /** In units of 1/20. */
  readonly rarity: Uint8Array;
  readonly unknownRarity: number;
  readonly rowOf: (grams: HashCounts) => SparseRow;
}

const RARITY_UNITS = 20;
const PROMPTS_MIN = 3;
/** Limited, so that one template's prompts don't fill the vocabulary. */
const PER_SET_MAX = 40;

/** The words that occur in most prompts, counting a limited number of prompts per set. */
export function buildVocabulary(
  prompts: readonly HashCounts[],
  sets: readonly string[],
  size: number,
): Vocabulary {
  const all = new Map<number, number>();
  const inSet = new Map<string, Map<number, number>>();
  for (const [at, grams] of prompts.entries()) {
    const set = sets[at] ?? "";
    const own = inSet.get(set) ?? new Map<number, number>();
    inSet.set(set, own);
    for (const hash of grams.keys()) {
      all.set(hash, (all.get(hash) ?? 0) + 1);
      own.set(hash, (own.get(hash) ?? 0) + 1);
    }
  }
  const score = new Map<number, number>();
  for (const own of inSet.values()) {
    for (const [hash, count] of own) score.set(hash, (score.get(hash) ?? 0) + Math.min(count, PER_SET_MAX));
  }
  const chosen = [...score]
    .filter(([hash]) => (all.get(hash) ?? 0) >= PROMPTS_MIN)
    .toSorted(([one, a], [other, b]) => b - a || one - other)
    .slice(0, size)
    .map(([hash]) => hash);
  const hashes = Uint32Array.from(chosen).sort();
  const rarity = Uint8Array.from(hashes, (hash) =>
    Math.min(255, Math.round(RARITY_UNITS * Math.log(1 + prompts.length / (1 + (all.get(hash) ?? 0))))),
  );
  const places = new Map([...hashes].map((hash, place) => [hash, place]));
  const unknownRarity = 2.5;
  return { hashes, rarity, unknownRarity, rowOf: (grams) => rowOf(grams, places, rarity, unknownRarity) };
}

function rowOf(
  grams: HashCounts,
  places: ReadonlyMap<number, number>,
  rarity: Uint8Array,
  unknownRarity: number,
): SparseRow {
  const at: number[] = [];
  const values: number[] = [];
  let knownWeight = 0;
  let allWeight = 0;
  for (const [hash, count] of grams) {
    const place = places.get(hash);
    const rare = place === undefined ? unknownRarity : (rarity[place] ?? 0) / RARITY_UNITS;
    allWeight += rare;
    if (place === undefined) continue;
    knownWeight += rare;
    at.push(place);
    values.push(Math.max(0.1, 1 + Math.log(Math.max(count, 0.1))) * rare);
  }
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
  return {
    at: Uint16Array.from(at),
    values: Float32Array.from(values, (value) => value / norm),
    known: allWeight === 0 ? 0 : knownWeight / allWeight,
  };
}
