// The texts of a request in the order in which its model reads them: system, tools, turns.
import { asArray } from "../core/json/json.ts";
import type { ChangeText, TextPlace } from "../core/text/texts.ts";

export interface PlacedText {
  readonly text: string;
  readonly place: TextPlace;
}

export interface OrderedText extends PlacedText {
  /** Its number in the order in which the texts are reached. */
  readonly visit: number;
}

/** The fields of all families that a model reads before any turn. */
const SYSTEM = /^(system|instructions|systemInstruction|system_instruction)\b/;
const TOOLS = /^(tools|functions|tool_choice|toolConfig|tool_config)\b/;
/** A turn of chat that instructs the model, wherever it stands, keeps its place among the turns. */
const RANKS: readonly RegExp[] = [SYSTEM, TOOLS];

/** Takes texts in any order. */
class TextOrder {
  readonly #ranked: readonly OrderedText[][] = [[], [], []];
  #visits = 0;

  add(text: string, place: TextPlace): void {
    const rank = RANKS.findIndex((fields) => fields.test(place.path));
    // Turns, which have no rank, are the last.
    this.#ranked.at(rank)?.push({ text, place, visit: this.#visits++ });
  }

  list(): readonly OrderedText[] {
    return this.#ranked.flat();
  }
}

function takeIntegers(take: ChangeText): ChangeText {
  return Object.assign(take, { takesIntegers: true as const });
}

/** `walk` calls its function with every text of a whole answer. Integers of the client's own JSON are texts too. */
export function listTexts(walk: (change: ChangeText) => unknown): readonly OrderedText[] {
  const found: OrderedText[] = [];
  const take: ChangeText = (text, place) => {
    found.push({ text, place, visit: found.length });
    return text;
  };
  walk(takeIntegers(take));
  return found;
}

/** The same for a request, in order and in steps. */
export function* listInOrder<Body extends object>(
  body: Body,
  walk: Walk<Body>,
): Generator<undefined, readonly OrderedText[]> {
  const ranked = new TextOrder();
  yield* mapInSteps(body, walk, (text, place) => {
    ranked.add(text, place);
    return text;
  });
  return ranked.list();
}

/** Returns the request with the texts of these visits replaced, and the same if there are none. In steps. */
export function* replaceInOrder<Body extends object>(
  body: Body,
  walk: Walk<Body>,
  replaced: ReadonlyMap<number, string>,
): Generator<undefined, Body> {
  if (replaced.size === 0) return body;
  let visit = 0;
  return yield* mapInSteps(body, walk, (text) => replaced.get(visit++) ?? text);
}

/** Calls its function with every text of a body, and returns it with those texts changed. */
export type Walk<Body extends object> = (body: Body, change: ChangeText) => object;

/** Each turn and each tool is walked by itself, since a long conversation would keep the loop for long. */
function* mapInSteps<Body extends object>(
  body: Body,
  walk: Walk<Body>,
  change: ChangeText,
): Generator<undefined, Body> {
  const rest = { ...body };
  const blank = { ...body };
  const lists: (readonly [string, readonly unknown[]])[] = [];
  for (const [field, value] of Object.entries(body)) {
    Reflect.set(blank, field, Array.isArray(value) ? [] : undefined);
    if (!Array.isArray(value) || typeof value[0] !== "object") continue;
    Reflect.set(rest, field, []);
    lists.push([field, value]);
  }
  const mapped = { ...body };
  const others = walk(
    rest,
    takeIntegers((text, place) => change(text, place)),
  );
  for (const field of Object.keys(others)) {
    const value: unknown = Reflect.get(others, field);
    if (value !== Reflect.get(rest, field)) Reflect.set(mapped, field, value);
  }
  for (const [field, list] of lists) {
    const first = `${field}[0]`;
    const now: unknown[] = [];
    for (const [at, one] of list.entries()) {
      const changeHere = takeIntegers((text, place) => {
        const { path } = place;
        const own = path.startsWith(first) ? `${field}[${at}]${path.slice(first.length)}` : path;
        return change(text, { ...place, path: own });
      });
      const alone = walk(Object.assign({ ...blank }, { [field]: [one] }), changeHere);
      now.push(...asArray(Reflect.get(alone, field)));
      yield;
    }
    if (now.some((one, at) => one !== list[at])) Reflect.set(mapped, field, now);
  }
  return mapped;
}
