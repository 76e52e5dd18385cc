// Tells requests of a kind that was scored: what was learned of kinds holds for those alone, a new kind gets none of it.
import { readSize, TOPICS_END, TOPICS_FROM } from "../predictor.ts";

/** The usual character of the requests that were scored. */
export interface Usual {
  /** The share of unknown topics in recent requests when they came. */
  strange: number;
  labels: number;
  /** Sums: their lengths, and the squares of these. */
  sizes: number;
  sizeSquares: number;
}

export const NOTHING_USUAL: Readonly<Usual> = { strange: 1, labels: 0, sizes: 0, sizeSquares: 0 };
const STRANGE_PACE = 0.05;
/**
 * A request whose topics are known for no more than the first share of what is usual is of a kind of which nothing was
 * learned. From the second on it is one of those that were scored.
 */
const KNOWN_FROM = 0.6;
const KNOWN_TO = 0.9;
/** In standard deviations of the logarithm: far longer or shorter requests than the scored ones are another kind. */
const SIZE_FROM = 2;
const SIZE_TO = 2.75;
const SIZE_SPREAD_MIN = 0.1;
/** If less than this is usually known of a request's topics, less can be said of which are strange. */
const KNOWN_WELL = 0.8;

/** Counts a scored request in; `variances` as they are after it. */
export function countUsual(usual: Usual, variances: Float64Array, row: Float32Array): void {
  const size = readSize(row);
  usual.strange += STRANGE_PACE * (strangeness(variances, row) - usual.strange);
  usual.labels++;
  usual.sizes += size;
  usual.sizeSquares += size * size;
}

/** 1: like those that were scored; 0: of a kind of which nothing was learned. */
export function familiarity(usual: Usual, variances: Float64Array, row: Float32Array): number {
  const { labels, sizes, sizeSquares } = usual;
  if (labels === 0) return 0;
  const usually = Math.max(0.01, 1 - usual.strange);
  const known = (1 - strangeness(variances, row)) / usually;
  const mean = sizes / labels;
  const spread = Math.sqrt(Math.max(0, sizeSquares / labels - mean * mean) + SIZE_SPREAD_MIN ** 2);
  const away = Math.abs(readSize(row) - mean) / spread;
  const alike = between(known, KNOWN_FROM, KNOWN_TO) * (1 - between(away, SIZE_FROM, SIZE_TO));
  return 1 - Math.min(1, usually / KNOWN_WELL) * (1 - alike);
}

/** The share of the request's topics about which scores said little, 0…1: words that are usual everywhere make no kind known. */
function strangeness(variances: Float64Array, row: Float32Array): number {
  let left = 0;
  let all = 0;
  for (let at = TOPICS_FROM; at < TOPICS_END; at++) {
    const share = row[at] ?? 0;
    left += (variances[at] ?? 0) * share;
    all += share;
  }
  return all > 0 ? Math.min(1, left / all) : 1;
}

function between(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}
