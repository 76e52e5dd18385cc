// A configuration with hundreds of models, the fast way: lines that hold one plain mapping each are read here, and the YAML
// parser, which takes 60 µs and 15 KB for such a line, sees a mark in the place of each. A test holds the values against the
// parser's own; where anything is odd, or wrong, the text is read whole.
import { isObject } from "../core/json.ts";

/** Fewer lines aren't worth it. */
const LINES_MIN = 50;
/** For private use: a configuration that has it itself is read whole. */
const MARK = "\ue000";
const WHOLE_MARK = /^\ue000(\d+)$/;
/** An item of a list or a field's value, up to the end of its line. */
const LINE = /^( *(?:-|"[^"\\\n]{1,300}":|[A-Za-z_][\w.-]{0,100}:) )(\{[^\n]{1,2000}\})(?:\n|$)/gm;
/** Plain enough to mean the same to everybody: no reference, no escape, no number in another notation. */
const KEY = /([a-z_]{1,100}): +/y;
const QUOTED = /"([\x20\x21\x23\x25-\x5b\x5d-\x7e]*)" *(?=[,}\]])/y;
const NUMBER = /((?:0|[1-9]\d{0,14})(?:\.\d{1,10})?) *(?=[,}\]])/y;
const WORD = /([A-Za-z][\w./-]*(?::\w[\w./-]*)*) *(?=[,}\]])/y;
const NO_WORD = /^(?:true|false|null)$/i;
const DEPTH_MAX = 4;

export interface ShortYaml {
  /** With marks. */
  readonly text: string;
  /** Puts the mappings in the places of their marks among that text's values. False: a mark is elsewhere. */
  readonly fill: (value: unknown) => boolean;
}

/** null: nothing is gained. */
export function shortYaml(text: string): ShortYaml | null {
  if (text.includes(MARK)) return null;
  /** By mark: one, or those of the items that follow each other. */
  const marked: unknown[][] = [];
  let lines = 0;
  let next = { at: -1, start: "" };
  const short = text.replace(LINE, (line, start: string, mapping: string, at: number) => {
    const value = new FlowText(mapping).value();
    if (value === undefined) return line;
    lines++;
    const isNext = at === next.at && start === next.start && start.endsWith("- ");
    next = { at: at + line.length, start };
    if (isNext) marked.at(-1)?.push(value);
    return isNext ? "" : `${start}${MARK}${marked.push([value]) - 1}\n`;
  });
  return lines < LINES_MIN ? null : { text: short, fill: (value) => new Filling(marked).isWhole(value) };
}

class FlowText {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** undefined: it isn't plain. */
  value(): unknown {
    const value = this.#item(0);
    return this.#at === this.#text.length ? value : undefined;
  }

  #item(depth: number): unknown {
    if (depth > DEPTH_MAX) return undefined;
    if (this.#passes("{")) return this.#mapping(depth + 1);
    if (this.#passes("[")) return this.#list(depth + 1);
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    const word = this.#match(WORD);
    if (word !== undefined) return NO_WORD.test(word) ? undefined : word;
    return this.#match(QUOTED);
  }

  #mapping(depth: number): unknown {
    const mapping: Record<string, unknown> = {};
    do {
      const key = this.#match(KEY);
      if (key === undefined || key in mapping) return undefined;
      const value = this.#item(depth);
      if (value === undefined) return undefined;
      mapping[key] = value;
    } while (this.#passes(","));
    return this.#passes("}") ? mapping : undefined;
  }

  #list(depth: number): unknown {
    const list: unknown[] = [];
    do {
      const value = this.#item(depth);
      if (value === undefined) return undefined;
      list.push(value);
    } while (this.#passes(","));
    return this.#passes("]") ? list : undefined;
  }

  /** The sign and the spaces behind it. */
  #passes(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    do this.#at++;
    while (this.#text[this.#at] === " ");
    return true;
  }

  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text);
    if (found !== null) this.#at = form.lastIndex;
    return found?.[1];
  }
}

/** Each mark must be a whole value, once: within a longer text it would have been a part of that. */
class Filling {
  readonly #marked: readonly (readonly unknown[])[];
  readonly #filled = new Set<number>();
  #isOdd = false;

  constructor(marked: readonly (readonly unknown[])[]) {
    this.#marked = marked;
  }

  isWhole(value: unknown): boolean {
    this.#fill(value);
    return !this.#isOdd && this.#filled.size === this.#marked.length;
  }

  #fill(value: unknown): void {
    if (Array.isArray(value)) {
      const items = [...value];
      value.length = 0;
      for (const item of items) for (const one of this.#valuesOf(item)) value.push(one);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        if (key.includes(MARK)) this.#isOdd = true;
        value[key] = this.#valuesOf(value[key])[0];
      }
    }
  }

  /** What a mark stands for; any other value itself, filled. */
  #valuesOf(value: unknown): readonly unknown[] {
    if (typeof value !== "string") this.#fill(value);
    if (typeof value !== "string" || !value.includes(MARK)) return [value];
    const place = Number(WHOLE_MARK.exec(value)?.[1] ?? Number.NaN);
    const values = this.#marked[place];
    if (values === undefined) this.#isOdd = true;
    this.#filled.add(place);
    return values ?? [];
  }
}
