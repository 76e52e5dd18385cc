// The texts of a request in the order in which its model reads them: system, tools, turns.
import type { ChangeText, TextPlace } from "../core/text/texts.ts";

export interface OrderedText {
  readonly text: string;
  readonly place: TextPlace;
}

/** The fields of all families that a model reads before any turn. */
const SYSTEM = /^(system|instructions|systemInstruction|system_instruction)\b/;
const TOOLS = /^(tools|functions|tool_choice|toolConfig|tool_config)\b/;
/** A turn of chat that instructs the model, wherever it stands, keeps its place among the turns. */
const RANKS: readonly RegExp[] = [SYSTEM, TOOLS];

/** `walk` calls its function with every text of one form of the request. Integers of the client's own JSON are texts too. */
export function listInOrder(walk: (change: ChangeText) => unknown): readonly OrderedText[] {
  const ranked: OrderedText[][] = [[], [], []];
  const take = (text: string, place: TextPlace): string => {
    const rank = RANKS.findIndex((fields) => fields.test(place.path));
    ranked.at(rank)?.push({ text, place });
    return text;
  };
  walk(Object.assign(take, { takesIntegers: true as const }));
  return ranked.flat();
}
