// Router#best: the model with the highest overall level, unless another is clearly better for this request.
import { type Candidates, compareIds, computeCarefulLevels, type SelectorRule } from "./selector.ts";

/** The champion is left only for a gain above this, plus a share of what is uncertain about it. */
const GAIN_MIN = 0.004;
const GAIN_DOUBT = 1.2;

export const best: SelectorRule = {
  name: "best",
  about: "Picks the best model for each request.",
  rank: (candidates) => {
    const champion = findChampion(candidates);
    const championDoubt = doubtAt(candidates, champion);
    const scores = new Float64Array(candidates.size);
    for (let at = 0; at < scores.length; at++) {
      const gain = GAIN_MIN + GAIN_DOUBT * Math.max(doubtAt(candidates, at), championDoubt);
      scores[at] = (candidates.careful[at] ?? 0) - (at === champion ? 0 : gain);
    }
    return scores;
  },
  // As far as anybody knows it may be as good.
  canReplace: (other, first) => other.quality + (other.quality - other.qualityLow) >= first.quality,
};

/** The place of the one whose overall level is the highest, its uncertainty taken off. */
function findChampion(candidates: Candidates): number {
  const { cards, size } = candidates;
  const levels = computeCarefulLevels(candidates);
  let champion = 0;
  for (let at = 1; at < size; at++) {
    const ahead = (levels[at] ?? 0) - (levels[champion] ?? 0);
    if (ahead > 0 || (ahead === 0 && compareIds(cards[at]?.id, cards[champion]?.id) < 0)) champion = at;
  }
  return champion;
}

function doubtAt({ quality, qualityLow }: Candidates, at: number): number {
  return (quality[at] ?? 0) - (qualityLow[at] ?? 0);
}
