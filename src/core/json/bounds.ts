// Parses JSON that strangers wrote, within bounds on its structure.
import { parseExact, parseWithTools } from "./exact.ts";
import { isObject, type JsonObject, parseJson } from "./json.ts";
import { type JsonShape, measureShape } from "./shape.ts";

/**
 * The most structure of a request, with the JSON in its texts. Ten million elements take seconds and 2.6 GB to parse,
 * and JSON nested 50,000 levels deep overflows the stack when it is written.
 */
export const REQUEST_SHAPE: JsonShape = { depth: 64, elements: 100_000 };

/** The most structure of an event or a document of a provider, unless its operation sets another. */
export const RECEIVED_SHAPE: JsonShape = { depth: 100, elements: 250_000 };

/** A text this short is parsed and written within a millisecond, whatever its structure. */
const CHARACTERS_UNCHECKED = 4096;

/** Returns undefined if the text is not JSON, or has more structure than `most`. */
export function parseBounded(text: string, most: JsonShape): unknown {
  return hasBoundedShape(text, most) ? parseJson(text) : undefined;
}

/** The same with integers that no double holds as bigints, for values of tools. */
export function parseExactBounded(text: string, most: JsonShape): unknown {
  return hasBoundedShape(text, most) ? parseExact(text) : undefined;
}

export function hasBoundedShape(text: string, most: JsonShape): boolean {
  const { depth, elements } = measureShape(text, most);
  return depth <= most.depth && elements <= most.elements;
}

/**
 * Parses an event or a document of a provider, with its tools' values exact. Returns undefined if it is not JSON, or has
 * too much structure.
 */
export function parseReceived(text: string): unknown {
  if (text.length > CHARACTERS_UNCHECKED && !hasBoundedShape(text, RECEIVED_SHAPE)) return undefined;
  return parseWithTools(text);
}

/** Returns the reason to refuse a provider's text that has more structure than `most`, or null. */
export function explainExcess(text: string, most: JsonShape): string | null {
  if (text.length <= CHARACTERS_UNCHECKED) return null;
  const { depth, elements } = measureShape(text, most);
  if (depth > most.depth) return `JSON nested deeper than ${most.depth} levels`;
  return elements > most.elements ? `JSON of more than ${most.elements} elements` : null;
}

/** Parses the JSON in the texts of one request or one answer, all of it together within the bounds of a request. */
export class JsonBudget {
  readonly #beside: unknown;
  /** Null until the first text is parsed. */
  #elementsLeft: number | null = null;

  /** The elements of `beside` count too: the request that holds the texts. */
  constructor(beside: unknown = null) {
    this.#beside = beside;
  }

  /**
   * Parses a call's arguments or a result, exactly. Returns undefined if the text is not an object in JSON, or has more
   * structure than is left.
   */
  parseObject(text: string): JsonObject | undefined {
    if (!this.#take(text)) return undefined;
    const value = parseExact(text);
    return isObject(value) ? value : undefined;
  }

  /**
   * Returns the first ending that completes the text to an object in JSON: "" if it is whole, undefined if none does.
   * Endings may not add depth. They are only listed for a text within bounds that is not whole.
   */
  findEnding(text: string, listEndings: () => readonly string[]): string | undefined {
    if (!this.#take(text)) return undefined;
    if (isObject(parseJson(text))) return "";
    return listEndings().find((ending) => isObject(parseJson(text + ending)));
  }

  /** Most texts are no objects. Their commas are no elements, and don't count. */
  #take(text: string): boolean {
    if (!OBJECT_START.test(text)) return false;
    this.#elementsLeft ??= Math.max(0, REQUEST_SHAPE.elements - countElements(this.#beside));
    const most = { ...REQUEST_SHAPE, elements: this.#elementsLeft };
    const { depth, elements } = measureShape(text, most);
    if (depth > most.depth || elements > most.elements) return false;
    this.#elementsLeft -= elements;
    return true;
  }
}

const OBJECT_START = /^\s*\{/;

function countElements(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let elements = items.length;
  for (const item of items) elements += countElements(item);
  return elements;
}
