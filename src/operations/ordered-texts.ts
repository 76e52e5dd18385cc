// The texts of a request in the order in which its model reads them: system, tools, turns.
import { asArray } from "../core/json/json.ts";
import type { ChangeText, TextPlace } from "../core/text/texts.ts";

/** Walked in a millisecond or two, even if all of it is JSON in texts. */
const STEP_CHARACTERS = 65_536;
/** Each field counts so many, beside its value. */
const FIELD_CHARACTERS = 20;
/** A text that can be no JSON is only looked at, or decoded. */
const PLAIN_SHARE = 0.25;
/** The signs with which JSON begins. */
const JSON_BEGINS = " \t\r\n[{";

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

/** Turns and tools are walked a few at a time, since a long conversation would keep the loop for long. */
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
    const now = yield* mapList(list, field, change, (few, changeHere) =>
      asArray(Reflect.get(walk(Object.assign({ ...blank }, { [field]: few }), changeHere), field)),
    );
    if (now.some((one, at) => one !== list[at])) Reflect.set(mapped, field, now);
  }
  return mapped;
}

function* mapList(
  list: readonly unknown[],
  field: string,
  change: ChangeText,
  walk: (few: readonly unknown[], change: ChangeText) => readonly unknown[],
): Generator<undefined, readonly unknown[]> {
  const now: unknown[] = [];
  for (let from = 0, to = 0; from < list.length; from = to) {
    to = findStepEnd(list, from);
    const changeHere: ChangeText = (text, place) =>
      change(text, from === 0 ? place : { ...place, path: movePath(place.path, field, from) });
    for (const one of walk(list.slice(from, to), takeIntegers(changeHere))) now.push(one);
    yield;
  }
  return now;
}

/** Returns the place behind the elements that are walked in one step from here on: one at least. */
function findStepEnd(list: readonly unknown[], from: number): number {
  let left = STEP_CHARACTERS;
  let end = from;
  while (end < list.length && left > 0) left -= measure(list[end++], left);
  return end;
}

/** Returns about how many characters of JSON a value has, or `most` if there are more. */
function measure(value: unknown, most: number): number {
  if (typeof value === "string") {
    const share = JSON_BEGINS.includes(value.charAt(0)) ? 1 : PLAIN_SHARE;
    return FIELD_CHARACTERS + value.length * share;
  }
  if (typeof value !== "object" || value === null) return FIELD_CHARACTERS;
  let size = FIELD_CHARACTERS;
  for (const field in value) {
    size += measure(Reflect.get(value, field), most - size);
    if (size >= most) break;
  }
  return size;
}

/** Returns a path of some of a list's elements as one of all, of which so many stand before them. */
function movePath(path: string, list: string, before: number): string {
  const start = `${list}[`;
  if (!path.startsWith(start)) return path;
  const end = path.indexOf("]", start.length);
  return `${start}${Number(path.slice(start.length, end)) + before}${path.slice(end)}`;
}
