// JSON that comes in pieces: its strings are filtered as what they say, and all other bytes leave as they came.
import { JsonString } from "./json-string.ts";
import { filterText, type TextFilter, type TextStream } from "./text-filter.ts";

export interface JsonFilters {
  /** For a value. `field` is the name of the field that holds it, through lists. */
  value(field: string | undefined): TextFilter;
  key(): TextFilter;
  /** Returns the string that replaces an integer of 9 to 19 digits, or null. Missing if integers stay. */
  integer?(digits: string, field: string | undefined): string | null;
}

/** Deeper objects and lists are only counted: their strings are values. */
const DEPTH_MAX = 1000;
const QUOTE = '"';
const SPACES = " \t\n\r";
const SIGNS = '"{}[],:';
const OPENING = "{[";
const INTEGER = /^-?\d{9,19}$/;
const INTEGER_CHARACTERS_MAX = 20;
const NUMBER = /^-?(?:\d[\d.eE+-]*)?$/;
const NUMBER_CHARACTERS = "0123456789.eE+-";
const LITERALS = ["true", "false", "null"] as const;

/** An object or list that is open. */
interface Level {
  readonly isObject: boolean;
  /** The field at hand: in a list, of what holds it. */
  field: string | undefined;
}

/**
 * Filters an object or list of JSON in raw text. What stands where no JSON has a text, and a text that is no object or list,
 * is filtered as a plain text.
 */
export function filterJson(filters: JsonFilters): TextStream {
  return new JsonStream(filters);
}

class JsonStream implements TextStream {
  readonly #filters: JsonFilters;
  readonly #levels: Level[] = [];
  #tooDeep = 0;
  #isKeyNext = false;
  #isKey = false;
  /** The string or other text that the stream stands in. */
  #string: JsonString | null = null;
  #plain: TextStream | null = null;
  /** True within a number that stays as it is. */
  #isInNumber = false;
  /** The characters that can't be told yet: of an escape, an integer or a literal. */
  #held = "";
  #left = "";

  constructor(filters: JsonFilters) {
    this.#filters = filters;
  }

  push(text: string): string {
    this.#left = "";
    this.#take(this.#held + text, false);
    return this.#left;
  }

  end(): string {
    this.#left = "";
    this.#take(this.#held, true);
    this.#left += this.#string?.end() ?? "";
    this.#left += this.#plain?.end() ?? "";
    return this.#left + this.#held;
  }

  #take(text: string, isWhole: boolean): void {
    let at = 0;
    for (let to = -1; at < text.length; at = to) {
      to = this.#takeNext(text, at, isWhole);
      if (to === at) break;
    }
    this.#held = text.slice(at);
  }

  /** Returns the position behind what was taken, or the same one if more must come first. */
  #takeNext(text: string, at: number, isWhole: boolean): number {
    if (this.#string !== null) return this.#takeString(this.#string, text, at);
    if (this.#plain !== null) return this.#takePlain(this.#plain, text, at);
    if (this.#isInNumber) return this.#takeNumber(text, at, isWhole);
    const character = text.charAt(at);
    if (SPACES.includes(character)) return this.#pass(text, at, at + 1);
    if (this.#levels.length > 0)
      return SIGNS.includes(character) ? this.#takeSign(character, at) : this.#takeWord(text, at, isWhole);
    return OPENING.includes(character) ? this.#takeSign(character, at) : this.#beginPlain(text, at);
  }

  #takeString(string: JsonString, text: string, from: number): number {
    const to = string.take(text, from);
    this.#left += string.left;
    if (text.charAt(to) !== QUOTE) return to;
    this.#left += string.end() + QUOTE;
    this.#string = null;
    const level = this.#levels.at(-1);
    if (this.#isKey && level !== undefined) level.field = string.said;
    return to + 1;
  }

  /** Between objects and lists such a text goes on to the next sign, elsewhere to the end. */
  #takePlain(plain: TextStream, text: string, from: number): number {
    const to = this.#levels.length > 0 ? findAny(text, from, SIGNS) : text.length;
    if (to > from) this.#left += plain.push(text.slice(from, to));
    if (to === text.length) return to;
    this.#left += plain.end();
    this.#plain = null;
    return this.#takeSign(text.charAt(to), to);
  }

  #takeNumber(text: string, from: number, isWhole: boolean): number {
    let to = from;
    while (to < text.length && NUMBER_CHARACTERS.includes(text.charAt(to))) to++;
    this.#isInNumber = to === text.length;
    return to === from ? this.#takeNext(text, from, isWhole) : this.#pass(text, from, to);
  }

  #takeSign(sign: string, at: number): number {
    this.#left += sign;
    switch (sign) {
      case QUOTE:
        this.#beginString();
        break;
      case "{":
      case "[":
        this.#open(sign === "{");
        break;
      case "}":
      case "]":
        this.#close();
        break;
      default:
        this.#isKeyNext = sign === "," && this.#tooDeep === 0 && this.#levels.at(-1)?.isObject === true;
    }
    return at + 1;
  }

  #beginString(): void {
    this.#isKey = this.#isKeyNext;
    const filter = this.#isKey ? this.#filters.key() : this.#filters.value(this.#levels.at(-1)?.field);
    this.#string = new JsonString(filter, this.#isKey);
  }

  #open(isObject: boolean): void {
    const isKnown = this.#levels.length < DEPTH_MAX;
    if (isKnown) this.#levels.push({ isObject, field: this.#levels.at(-1)?.field });
    else this.#tooDeep++;
    this.#isKeyNext = isKnown && isObject;
  }

  #close(): void {
    if (this.#tooDeep > 0) this.#tooDeep--;
    else this.#levels.pop();
    this.#isKeyNext = false;
  }

  #beginPlain(text: string, from: number): number {
    this.#plain = filterText(this.#filters.value(this.#levels.at(-1)?.field));
    return this.#takePlain(this.#plain, text, from);
  }

  /** Takes a number, a literal, or what no JSON has there. */
  #takeWord(text: string, from: number, isWhole: boolean): number {
    const to = findAny(text, from, SIGNS + SPACES);
    const word = text.slice(from, to);
    const mayGoOn = to === text.length && !isWhole;
    if (NUMBER.test(word)) return this.#takeDigits(word, from, mayGoOn);
    if (!LITERALS.some((literal) => (mayGoOn ? literal.startsWith(word) : literal === word)))
      return this.#beginPlain(text, from);
    return mayGoOn ? from : this.#pass(text, from, to);
  }

  #takeDigits(word: string, from: number, mayGoOn: boolean): number {
    const canStay = this.#filters.integer === undefined || word.length > INTEGER_CHARACTERS_MAX;
    if (mayGoOn && !canStay) return from;
    this.#isInNumber = mayGoOn;
    const field = this.#levels.at(-1)?.field;
    const by = INTEGER.test(word) ? (this.#filters.integer?.(word, field) ?? null) : null;
    this.#left += by === null ? word : JSON.stringify(by);
    return from + word.length;
  }

  #pass(text: string, from: number, to: number): number {
    this.#left += text.slice(from, to);
    return to;
  }
}

/** Returns the first position from there on at which one of the characters stands, or the end. */
function findAny(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && !characters.includes(text.charAt(at))) at++;
  return at;
}
