// The built-in rows with their day.
import type { ModelCard } from "../../core/models/card.ts";
import { SHIPPED_DAY } from "../feeds/as-of.ts";
import { loadShippedCards } from "../rows.ts";

export interface BuiltInRows {
  readonly cards: ReadonlyMap<string, ModelCard>;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

export function loadBuiltInRows(): BuiltInRows {
  loaded ??= { cards: new Map(loadShippedCards().map((card) => [card.id, card])), day: SHIPPED_DAY };
  return loaded;
}
let loaded: BuiltInRows | undefined;
