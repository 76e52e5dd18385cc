// Narrows a selection to the models that meet what a request asks for.
import type { ModelCard } from "../../core/models/card.ts";
import type { Selection } from "./plan.ts";

/** Removes the other models from the selection. Null if the named model is one of them, or no model is left to choose. */
export function narrowSelection(selection: Selection, isFit: (card: ModelCard) => boolean): Selection | null {
  if (selection.kind === "selector") {
    const { candidates, among = Int32Array.from(candidates.keys()) } = selection;
    const isFitAt = (place: number) => {
      const card = candidates[place];
      return card !== undefined && isFit(card);
    };
    const fit = among.filter(isFitAt);
    return fit.length === 0 ? null : { ...selection, among: fit };
  }
  const fallbacks = selection.fallbacks.filter(isFit);
  if (selection.kind === "card") return isFit(selection.card) ? { ...selection, fallbacks } : null;
  const members = selection.members.filter(({ card }) => isFit(card));
  return members.length === 0 ? null : { ...selection, members, fallbacks };
}

/** Lists the models that may answer. */
export function listSelected(selection: Selection): readonly ModelCard[] {
  switch (selection.kind) {
    case "card":
      return [selection.card, ...selection.fallbacks];
    case "group":
      return [...selection.members.map(({ card }) => card), ...selection.fallbacks];
    case "selector": {
      const { candidates, among } = selection;
      return among === undefined ? candidates : candidates.filter((_card, place) => among.includes(place));
    }
  }
}
