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

/** Takes texts in any order. */
class TextOrder {
  readonly #ranked: readonly OrderedText[][] = [[], [], []];

  add(text: string, place: TextPlace): void {
    const rank = RANKS.findIndex((fields) => fields.test(place.path));
    // Turns, which have no rank, are the last.
    this.#ranked.at(rank)?.push({ text, place });
  }

  list(): readonly OrderedText[] {
    return this.#ranked.flat();
  }
}

function takeIntegers(take: (text: string, place: TextPlace) => void): ChangeText {
  const keep = (text: string, place: TextPlace): string => {
    take(text, place);
    return text;
  };
  return Object.assign(keep, { takesIntegers: true as const });
}

/** `walk` calls its function with every text of a whole answer. Integers of the client's own JSON are texts too. */
export function listTexts(walk: (change: ChangeText) => unknown): readonly OrderedText[] {
  const found: OrderedText[] = [];
  walk(takeIntegers((text, place) => found.push({ text, place })));
  return found;
}

/**
 * The same for a request, in order and in steps: each turn and each tool is walked by itself, since a long conversation
 * would keep the loop for long.
 */
export function* listInOrder<Body extends object>(
  body: Body,
  walk: (body: Body, change: ChangeText) => unknown,
): Generator<undefined, readonly OrderedText[]> {
  const ranked = new TextOrder();
  const take = takeIntegers((text, place) => ranked.add(text, place));
  const rest = { ...body };
  const blank = { ...body };
  const lists: (readonly [string, readonly unknown[]])[] = [];
  for (const [field, value] of Object.entries(body)) {
    Reflect.set(blank, field, Array.isArray(value) ? [] : undefined);
    if (!Array.isArray(value) || typeof value[0] !== "object") continue;
    Reflect.set(rest, field, []);
    lists.push([field, value]);
  }
  walk(rest, take);
  for (const [field, list] of lists) {
    const first = `${field}[0]`;
    for (const [at, one] of list.entries()) {
      const takeHere = takeIntegers((text, place) => {
        const { path } = place;
        const own = path.startsWith(first) ? `${field}[${at}]${path.slice(first.length)}` : path;
        ranked.add(text, { ...place, path: own });
      });
      walk(Object.assign({ ...blank }, { [field]: [one] }), takeHere);
      yield;
    }
  }
  return ranked.list();
}
