// The order of a conversation's candidates by weighted rendezvous hashing: the same in every process, whatever else there is.

/** A request's order is computed over at most this many. The others follow as they came. */
const HASHED_MAX = 1024;

interface Candidate {
  /** Its name among the candidates, which doesn't change with its place or its secret. */
  readonly name: string;
  readonly weight: number;
}

/**
 * Returns the candidates in the order of the conversation with this seed. The first is each of them in proportion to its
 * weight. One that is added or removed changes nothing in the order of the others.
 */
export function orderByHash<One extends Candidate>(seed: bigint, candidates: readonly One[]): readonly One[] {
  const costs = new Map(candidates.slice(0, HASHED_MAX).map((one) => [one, computeCost(seed, one)]));
  const compare = (a: One, b: One) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0);
  return [...[...costs.keys()].sort(compare), ...candidates.slice(HASHED_MAX)];
}

/** Returns an exponentially distributed random number. A candidate has the least one as often as its share of the weights. */
function computeCost(seed: bigint, { name, weight }: Candidate): number {
  const bits = Number(Bun.hash.wyhash(name, seed) >> 11n);
  return -Math.log((bits + 0.5) / 2 ** 53) / Math.max(weight, Number.MIN_VALUE);
}
