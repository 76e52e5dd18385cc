// Repeats an admission with what its decision lacked: a limit of the key or the account that wasn't known before.
import type { Admission, Answer, Lacking, Offer } from "../core/demand.ts";
import type { TokenLoad } from "../core/limits/limit.ts";

/** A decision may lack the offers, then the load, then sums, each once. */
const LACKING_MAX = 4;

export interface Supplies {
  readonly offers: (isReserving: boolean) => readonly Offer[];
  readonly load: () => TokenLoad;
  /** Called with each thing that was lacking. */
  readonly learn: (lacking: Lacking) => void;
}

/** Returns the answer of the last time, which may still lack something. */
export async function supply(
  first: Admission,
  lacking: Lacking,
  decide: (demand: Admission) => Promise<Answer>,
  supplies: Supplies,
): Promise<Answer> {
  let demand = first;
  let answer: Answer = lacking;
  for (let times = 0; answer.kind === "lacking" && times < LACKING_MAX; times++) {
    supplies.learn(answer);
    demand = addLacking(demand, answer, supplies);
    answer = await decide(demand);
  }
  return answer;
}

function addLacking(demand: Admission, lacking: Lacking, { offers, load }: Supplies): Admission {
  const { reads } = demand;
  const openings = [...(reads.openings ?? []), ...lacking.openings];
  const isReserving = demand.isReserving || lacking.reserved;
  return {
    ...demand,
    offers: lacking.offers || lacking.reserved ? offers(isReserving) : demand.offers,
    isReserving,
    load: lacking.load ? load() : demand.load,
    reads: openings.length > 0 ? { ...reads, openings } : reads,
  };
}
