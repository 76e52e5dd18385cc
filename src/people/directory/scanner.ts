// Reads a filter or a path from left to right, and says where it is broken.
import { parseBounded } from "../../core/json/bounds.ts";
import { DirectoryRefusal, type RefusalReason } from "./refusal.ts";

const SPACES = /[ \t]*/y;
const NAME = /[A-Za-z_$][A-Za-z0-9_$:.-]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|\\.)*"/uy;

export type FilterValue = string | boolean;

export class Scanner {
  readonly #text: string;
  readonly #reason: RefusalReason;
  #at = 0;

  constructor(text: string, reason: RefusalReason) {
    this.#text = text;
    this.#reason = reason;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skipSpaces(): void {
    this.#take(SPACES);
  }

  /** True if the next character is this one, which is then passed. */
  passes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  require(character: string): void {
    if (!this.passes(character)) throw this.refuse(`expected '${character}'`);
  }

  readName(): string {
    const name = this.#take(NAME);
    if (name === undefined) throw this.refuse("expected an attribute's name");
    return name;
  }

  /** Reads `and`, or an operator, in any case. */
  readWord(word: string): void {
    const from = this.#at;
    if (this.#take(NAME)?.toLowerCase() === word) return;
    this.#at = from;
    throw this.refuse(`expected '${word}'`);
  }

  readValue(): FilterValue {
    const from = this.#at;
    const quoted = this.#take(STRING);
    if (quoted !== undefined) return this.#unquote(quoted, from);
    const word = this.#take(NAME)?.toLowerCase();
    if (word === "true" || word === "false") return word === "true";
    this.#at = from;
    throw this.refuse("expected a text in double quotes, true or false");
  }

  #unquote(quoted: string, from: number): string {
    try {
      const value = parseBounded(quoted, { depth: 1, elements: 1 });
      if (typeof value === "string") return value;
    } catch {
      this.#at = from;
    }
    throw this.refuse("expected a text with the escapes of JSON");
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Returns the refusal of the text, with the position at which it is broken. */
  refuse(why: string): DirectoryRefusal {
    return new DirectoryRefusal(this.#reason, `${why} at character ${this.#at + 1}`);
  }
}
