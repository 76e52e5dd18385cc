// JSON that comes in pieces: its strings are filtered as what they say, and all other bytes leave as they came.
import { JSON_STRING, readString } from "./json-string.ts";
import { FilteredText, filterText, type TextFilter, type TextStream } from "./text-filter.ts";

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
const LITERALS: readonly string[] = ["true", "false", "null"];

/** An object or list that is open. */
interface Level {
  readonly isObject: boolean;
  /** The field at hand: in a list, of what holds it. */
  field: string | undefined;
}

/**
 * Filters an object or list of JSON in raw text. A text that is neither is filtered as a plain text, and so is a part of JSON
 * that stands where no text belongs.
 */
export function filterJson(filters: JsonFilters): TextStream {
  return new JsonStream(filters);
}

class JsonStream implements TextStream {
  readonly #filters: JsonFilters;
  readonly #levels: Level[] = [];
  #tooDeep = 0;
  #isKeyNext = false;
  /** The string that the stream stands in, and what it has said if it is a key. */
  #string: FilteredText | null = null;
  #key: string | null = null;
  /** A text that stands where JSON has none. */
  #plain: TextStream | null = null;
  /** True within a number that is too long to be replaced. */
  #isInNumber = false;
  /** The end of the text if it may go on: a part of an escape, of a number or of a literal. */
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

  #takeString(string: FilteredText, text: string, from: number): number {
    const { to, text: said } = readString(text, from);
    if (to > from) this.#left += string.push(text.slice(from, to), said);
    if (this.#key !== null) this.#key += said;
    if (text.charAt(to) !== QUOTE) return to;
    this.#left += string.end() + QUOTE;
    this.#string = null;
    const level = this.#levels.at(-1);
    if (this.#key !== null && level !== undefined) level.field = this.#key;
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
    const filter = this.#isKeyNext ? this.#filters.key() : this.#beginValue();
    this.#string = new FilteredText(filter, JSON_STRING);
    this.#key = this.#isKeyNext ? "" : null;
  }

  #beginValue(): TextFilter {
    return this.#filters.value(this.#levels.at(-1)?.field);
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
    this.#plain = filterText(this.#beginValue());
    return this.#takePlain(this.#plain, text, from);
  }

  /** Takes a number, a literal, or what no JSON has there. One that may go on is held back. */
  #takeWord(text: string, from: number, isWhole: boolean): number {
    const head = text.slice(from, from + INTEGER_CHARACTERS_MAX + 1);
    if (head.length > INTEGER_CHARACTERS_MAX && NUMBER.test(head))
      return this.#takeNumber(text, from, isWhole);
    const to = findAny(text, from, SIGNS + SPACES);
    const word = text.slice(from, to);
    const isNumber = NUMBER.test(word);
    if (to === text.length && !isWhole) {
      const mayBeKnown = isNumber || LITERALS.some((literal) => literal.startsWith(word));
      return mayBeKnown ? from : this.#beginPlain(text, from);
    }
    if (!isNumber && !LITERALS.includes(word)) return this.#beginPlain(text, from);
    this.#left += isNumber ? this.#replaceInteger(word) : word;
    return to;
  }

  #replaceInteger(number: string): string {
    if (!INTEGER.test(number)) return number;
    const by = this.#filters.integer?.(number, this.#levels.at(-1)?.field) ?? null;
    return by === null ? number : JSON.stringify(by);
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
