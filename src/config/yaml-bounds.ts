// Bounds the structure of a YAML text before it is parsed: the parser calls itself for each level, and takes seconds
// and gigabytes for a text of a hundred thousand open brackets.
import { CST, Lexer } from "yaml";
import type { Path } from "./errors.ts";

/** No field lies deeper than eight levels. */
const DEPTH_MAX = 64;
/** Ten thousand models take half as many. */
const LEXEMES_MAX = 1_000_000;
const FIELDS_SHOWN = 3;

/** Counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The first place where a text has too much structure. */
export interface Excess extends TextPosition {
  readonly path: Path;
  readonly message: string;
}

/** A field or list entry that the current place lies in. */
interface YamlLevel {
  readonly column: number;
  /** Null for an entry of a list. */
  readonly name: string | null;
}

/** Null if the text is within the bounds. Reads no further than the first place beyond them. */
export function findExcess(text: string): Excess | null {
  const nesting = new Nesting();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (nesting.take(lexeme) > DEPTH_MAX)
      return { ...nesting.place, message: `nested more than ${DEPTH_MAX} levels deep` };
    if (++lexemes > LEXEMES_MAX) return { ...nesting.place, message: "the file has too many values" };
  }
  return null;
}

/** The depth of a place in the text: of lists and fields by their columns, and of brackets. */
class Nesting {
  readonly #levels: YamlLevel[] = [];
  #brackets = 0;
  #start: TextPosition = { line: 1, column: 1 };
  #line = 1;
  #column = 0;
  /** True before the first lexeme of a line or of a list entry. */
  #isFirst = true;
  #isScalar = false;

  /** Returns the place of the last lexeme. */
  get place(): Pick<Excess, "line" | "column" | "path"> {
    const names = this.#levels.flatMap(({ name }) => name ?? []);
    return { ...this.#start, path: names.slice(0, FIELDS_SHOWN) };
  }

  /** Returns the depth at the lexeme. */
  take(lexeme: string): number {
    if (lexeme === CST.SCALAR) this.#isScalar = true;
    if (lexeme === CST.SCALAR || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) return 0;
    const type = this.#isScalar ? "scalar" : CST.tokenType(lexeme);
    this.#isScalar = false;
    if (type !== "space" && type !== "newline" && type !== "comment") this.#enter(type, lexeme);
    const depth = this.#levels.length + this.#brackets;
    this.#start = { line: this.#line, column: this.#column + 1 };
    this.#advance(lexeme);
    return depth;
  }

  #enter(type: string | null, lexeme: string): void {
    const isEntry = type === "seq-item-ind" || type === "explicit-key-ind";
    if (this.#brackets === 0 && (this.#isFirst || isEntry)) {
      while ((this.#levels.at(-1)?.column ?? -1) >= this.#column) this.#levels.pop();
      this.#levels.push({ column: this.#column, name: isText(type) ? readName(lexeme) : null });
    }
    this.#isFirst = isEntry;
    if (type === "flow-seq-start" || type === "flow-map-start") this.#brackets++;
    if (type === "flow-seq-end" || type === "flow-map-end") this.#brackets = Math.max(0, this.#brackets - 1);
  }

  #advance(lexeme: string): void {
    const end = lexeme.lastIndexOf("\n");
    this.#column = end === -1 ? this.#column + lexeme.length : lexeme.length - end - 1;
    if (end === -1) return;
    this.#line += lexeme.split("\n").length - 1;
    this.#isFirst = true;
  }
}

function isText(type: string | null): boolean {
  return type === "scalar" || type === "single-quoted-scalar" || type === "double-quoted-scalar";
}

function readName(source: string): string {
  return /^(['"]).*\1$/s.test(source) ? source.slice(1, -1) : source;
}
