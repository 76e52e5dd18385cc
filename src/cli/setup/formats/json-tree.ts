// Reads JSON with comments and trailing commas into values with their places in the text.
import { isObject, type JsonObject } from "../../../core/json/json.ts";
import type { BracketElement } from "./brackets.ts";
import { explainAt } from "./text.ts";

const DEPTH_MAX = 100;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const WORD = /[a-z]+/y;
/** Only some programs end a line here. */
const ODD_LINE_END = /[\u2028\u2029]/;

export interface JsonElement extends BracketElement {
  /** Undefined in a list. */
  readonly key: string | undefined;
  readonly node: JsonNode;
}

export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Undefined for what is no list and no object. */
  readonly elements: readonly JsonElement[] | undefined;
}

/** Returns null for a text of nothing but space and comments. */
export function readJsonTree(text: string): JsonNode | null {
  return new JsonReader(text).read();
}

/** Only some programs take it in JSON. */
interface JsonExtra {
  readonly kind: "comment" | "comma";
  readonly at: number;
}

/** Returns the first comment, or comma before a closing bracket. Null for JSON as its standard has it, and for no text at all. */
export function findJsonExtra(text: string): JsonExtra | null {
  const reader = new JsonReader(text);
  reader.read();
  return reader.extra;
}

/** Returns the end of the comments from here that begin on this line. */
export function skipJsonComments(text: string, start: number): number {
  let end = start;
  for (let at = start; ; ) {
    while (text[at] === " " || text[at] === "\t") at++;
    const next = findCommentEnd(text, at);
    if (next === -1) return end;
    at = next;
    end = next;
  }
}

/** Returns -1 if no comment begins here, or if it has no end. */
function findCommentEnd(text: string, at: number): number {
  if (text.startsWith("/*", at)) {
    const end = text.indexOf("*/", at + 2);
    return end === -1 ? -1 : end + 2;
  }
  if (!text.startsWith("//", at)) return -1;
  const end = text.indexOf("\n", at);
  if (end === -1) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}

class JsonReader {
  /** The first that was read. */
  extra: JsonExtra | null = null;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonNode | null {
    this.#skip();
    if (this.#at === this.#text.length) return null;
    const root = this.#readNode(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#explain("something follows the last bracket");
    return root;
  }

  #readNode(depth: number): JsonNode {
    if (depth > DEPTH_MAX) throw this.#explain(`nested more than ${DEPTH_MAX} levels deep`);
    const start = this.#at;
    const first = this.#text[start];
    if (first === "{") return this.#readObject(depth);
    if (first === "[") return this.#readList(depth);
    const value = first === '"' ? this.#readText() : this.#readWord();
    return { start, end: this.#at, value, elements: undefined };
  }

  #readObject(depth: number): JsonNode {
    const start = this.#at;
    const value: JsonObject = {};
    const elements = this.#readElements("}", () => {
      if (this.#text[this.#at] !== '"') throw this.#explain("a field's name in quotes is missing");
      const key = this.#readText();
      if (Object.hasOwn(value, key)) throw this.#explain("this field appears twice");
      this.#skip();
      if (this.#text[this.#at] !== ":") throw this.#explain("a colon is missing");
      this.#at++;
      this.#skip();
      const node = this.#readNode(depth + 1);
      // An assignment of `__proto__` would set the prototype.
      Object.defineProperty(value, key, {
        value: node.value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
      return { key, node };
    });
    return { start, end: this.#at, value, elements };
  }

  #readList(depth: number): JsonNode {
    const start = this.#at;
    const elements = this.#readElements("]", () => ({ key: undefined, node: this.#readNode(depth + 1) }));
    return { start, end: this.#at, value: elements.map(({ node }) => node.value), elements };
  }

  #readElements(close: string, readOne: () => Pick<JsonElement, "key" | "node">): readonly JsonElement[] {
    const elements: JsonElement[] = [];
    this.#at++;
    this.#skip();
    while (this.#text[this.#at] !== close) {
      const start = this.#at;
      const one = readOne();
      const end = this.#at;
      this.#skip();
      const hasComma = this.#text[this.#at] === ",";
      if (!hasComma && this.#text[this.#at] !== close)
        throw this.#explain("a comma or a closing bracket is missing");
      const comma = hasComma ? this.#at : -1;
      elements.push({ ...one, start, end, comma });
      if (hasComma) this.#at++;
      this.#skip();
      if (hasComma && this.#text[this.#at] === close) this.extra ??= { kind: "comma", at: comma };
    }
    this.#at++;
    return elements;
  }

  #readText(): string {
    const start = this.#at;
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    this.#at = Math.min(end + 1, this.#text.length);
    try {
      const text: unknown = JSON.parse(this.#text.slice(start, this.#at));
      if (typeof text === "string") return text;
    } catch {}
    this.#at = start;
    throw this.#explain("this text in quotes has no end, or a character that must be escaped");
  }

  #readWord(): unknown {
    const word = this.#match(WORD);
    if (word !== undefined && WORDS.has(word)) return WORDS.get(word);
    const number = word === undefined ? this.#match(NUMBER) : undefined;
    if (number === undefined) throw this.#explain("a value is missing, or isn't one that JSON knows");
    return Number(number);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Goes past space and comments. */
  #skip(): void {
    for (;;) {
      while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
      if (this.#text[this.#at] !== "/") return;
      const end = findCommentEnd(this.#text, this.#at);
      if (end === -1) throw this.#explain("this comment has no end, or isn't one");
      if (this.#text[this.#at + 1] === "/" && ODD_LINE_END.test(this.#text.slice(this.#at, end)))
        throw this.#explain("this comment holds a character that only some programs take for a line's end");
      this.extra ??= { kind: "comment", at: this.#at };
      this.#at = end;
    }
  }

  #explain(words: string): Error {
    return explainAt(this.#text, this.#at, words);
  }
}

/** Returns a field of an object. Undefined for what is no object. */
export function findElement(node: JsonNode, key: string): JsonElement | undefined {
  return isObject(node.value) ? node.elements?.find((element) => element.key === key) : undefined;
}
