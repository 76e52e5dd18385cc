// Reads TOML into its statements with their places in the text. Bun's parser says what they mean.
import type { BracketElement } from "./brackets.ts";
import type { SettingPath } from "./format.ts";
import { explainAt, skipSpaces } from "./text.ts";

const DEPTH_MAX = 100;
/** Bun's parser compares each name with all others of its table. */
const NAMES_MAX = 5_000;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
/** A date may have a space before its time. */
const BARE_VALUE = /[^\s,\]}#"']+(?: \d\d:[^\s,\]}#]*)?/y;

export interface TomlNode {
  readonly start: number;
  readonly end: number;
  /** Undefined for what is no list and no inline table. */
  readonly elements: readonly TomlElement[] | undefined;
  readonly isTable: boolean;
}

export interface TomlElement extends BracketElement {
  /** Empty in a list. */
  readonly keys: SettingPath;
  readonly node: TomlNode;
}

export interface TomlPair {
  /** From the table that it stands in. */
  readonly keys: SettingPath;
  readonly start: number;
  readonly end: number;
  readonly node: TomlNode;
}

export interface TomlSection {
  /** Empty for what stands before the first table. */
  readonly path: SettingPath;
  /** True for [[path]]. */
  readonly isEntry: boolean;
  /** The places of its header's brackets. */
  readonly start: number;
  readonly end: number;
  readonly pairs: readonly TomlPair[];
}

export function readStatements(text: string): readonly TomlSection[] {
  return new TomlReader(text).read();
}

/** Returns the end of the comment from here, or the same place. */
export function skipHashComment(text: string, start: number): number {
  const at = skipSpaces(text, start);
  if (text[at] !== "#") return start;
  const end = text.indexOf("\n", at);
  if (end === -1) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}

class TomlReader {
  readonly #text: string;
  #at = 0;
  #names = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly TomlSection[] {
    let pairs: TomlPair[] = [];
    const sections: TomlSection[] = [{ path: [], isEntry: false, start: 0, end: 0, pairs }];
    for (this.#skip(); this.#at < this.#text.length; this.#skip()) {
      if (this.#text[this.#at] === "[") {
        pairs = [];
        sections.push({ ...this.#readHeader(), pairs });
      } else pairs.push(this.#readPair(sections.at(-1)?.path.length ?? 0));
      this.#endLine();
    }
    return sections;
  }

  #readHeader(): Omit<TomlSection, "pairs"> {
    const start = this.#at;
    const isEntry = this.#text.startsWith("[[", start);
    this.#at += isEntry ? 2 : 1;
    const path = this.#readKeys(0);
    this.#expect(isEntry ? "]]" : "]");
    return { path, isEntry, start, end: this.#at };
  }

  #readPair(depth: number): TomlPair {
    const start = this.#at;
    const keys = this.#readKeys(depth);
    this.#expect("=");
    this.#at = skipSpaces(this.#text, this.#at);
    const node = this.#readNode(depth + keys.length);
    return { keys, start, end: this.#at, node };
  }

  #readKeys(depth: number): SettingPath {
    const keys: string[] = [];
    do {
      if (keys.length > 0) this.#at++;
      this.#at = skipSpaces(this.#text, this.#at);
      keys.push(this.#readKey());
      this.#at = skipSpaces(this.#text, this.#at);
      this.#bound(depth + keys.length);
    } while (this.#text[this.#at] === ".");
    return keys;
  }

  #readKey(): string {
    if (++this.#names > NAMES_MAX) throw this.#explain("the file has too many fields");
    const start = this.#at;
    const first = this.#text[start];
    if (first !== '"' && first !== "'") return this.#match(BARE_KEY);
    this.#skipText(first, first === '"');
    const source = this.#text.slice(start, this.#at);
    if (first === "'" || !source.includes("\\")) return source.slice(1, -1);
    const key = readToml(`key = ${source}`)?.key;
    if (typeof key !== "string") throw this.#explain("a name in quotes has an unknown escape");
    return key;
  }

  #readNode(depth: number): TomlNode {
    this.#bound(depth);
    const start = this.#at;
    const first = this.#text[start];
    if (first === "[") return this.#readElements(start, "]", depth);
    if (first === "{") return this.#readElements(start, "}", depth);
    if (first === '"' || first === "'") {
      const long = first.repeat(3);
      this.#skipText(this.#text.startsWith(long, start) ? long : first, first === '"');
    } else this.#match(BARE_VALUE);
    return { start, end: this.#at, elements: undefined, isTable: false };
  }

  #readElements(start: number, close: string, depth: number): TomlNode {
    const isTable = close === "}";
    const elements: TomlElement[] = [];
    this.#at++;
    for (this.#skip(); this.#text[this.#at] !== close; this.#skip()) {
      const from = this.#at;
      const { keys, node } = isTable
        ? this.#readPair(depth + 1)
        : { keys: [], node: this.#readNode(depth + 1) };
      const end = this.#at;
      this.#skip();
      const hasComma = this.#text[this.#at] === ",";
      if (!hasComma && this.#text[this.#at] !== close)
        throw this.#explain("a comma or a closing bracket is missing");
      elements.push({ keys, node, start: from, end, comma: hasComma ? this.#at : -1 });
      if (hasComma) this.#at++;
    }
    this.#at++;
    return { start, end: this.#at, elements, isTable };
  }

  /** Goes past a text in quotes. */
  #skipText(quote: string, hasEscapes: boolean): void {
    const isLong = quote.length === 3;
    let at = this.#at + quote.length;
    while (at < this.#text.length && !this.#text.startsWith(quote, at)) {
      if (!isLong && this.#text[at] === "\n") break;
      at += hasEscapes && this.#text[at] === "\\" ? 2 : 1;
    }
    if (!this.#text.startsWith(quote, at)) throw this.#explain("this text in quotes has no end");
    at += quote.length;
    // Up to two quotes may stand before the three that end it.
    while (isLong && this.#text[at] === quote[0]) at++;
    this.#at = at;
  }

  /** Goes past space, line ends and comments. */
  #skip(): void {
    for (;;) {
      while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
      const end = skipHashComment(this.#text, this.#at);
      if (end === this.#at) return;
      this.#at = end;
    }
  }

  #endLine(): void {
    const at = skipHashComment(this.#text, skipSpaces(this.#text, this.#at));
    if (at < this.#text.length && !/^\r?\n/.test(this.#text.slice(at, at + 2)))
      throw this.#explain("something follows on this line, or a quote is missing");
    this.#at = at;
  }

  #expect(mark: string): void {
    if (!this.#text.startsWith(mark, this.#at)) throw this.#explain(`${mark} is missing`);
    this.#at += mark.length;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw this.#explain("a name or a value is missing");
    this.#at += found.length;
    return found;
  }

  #bound(depth: number): void {
    if (depth > DEPTH_MAX) throw this.#explain(`nested more than ${DEPTH_MAX} levels deep`);
  }

  #explain(words: string): Error {
    return explainAt(this.#text, this.#at, words);
  }
}

/** Returns null for what isn't TOML. */
export function readToml(text: string): Record<string, unknown> | null {
  try {
    return { ...Bun.TOML.parse(text) };
  } catch {
    return null;
  }
}
