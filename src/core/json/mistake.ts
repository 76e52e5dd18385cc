// Finds the first mistake in a text that isn't JSON: its line and column, what stands there, and what would be right.

interface JsonMistake {
  readonly offset: number;
  /** A phrase, as in "there is …". */
  readonly what: string;
}

/** The kind of token that may come next. */
type ExpectedToken = "value" | "first item" | "name" | "first name" | "colon" | "comma" | "nothing";

/** Longer texts are written by programs, whose mistakes aren't typos, and searching them would take time. */
const CHARACTERS_MAX = 1_000_000;

const DOUBLE = 'use double quotes (")';

/** Mistakes in the place of a value or a name, each with what to do about it. The first match counts. */
const LOOKS: readonly (readonly [look: RegExp, what: string])[] = [
  [/\/[/*]|#/y, "a comment: JSON has no comments, so remove it"],
  [/'|`/y, `a single quote: ${DOUBLE}`],
  [/[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019]/y, `a curly quotation mark: ${DOUBLE}`],
  [/\ufeff/y, "a byte order mark: remove it"],
  [/NaN\b/y, "NaN, which is no number in JSON: send null, or leave the field out"],
  [/[+-]?Infinity\b/y, "Infinity, which is no number in JSON: send null, or leave the field out"],
  [/True\b/y, "True: in JSON it is true"],
  [/False\b/y, "False: in JSON it is false"],
  [/None\b/y, "None: in JSON it is null"],
  [/undefined\b/y, "undefined: send null, or leave the field out"],
  [
    /[+-]?[.\d]/y,
    "a number that JSON doesn't allow: write it without + or leading zeros, and with a digit on each side of the point",
  ],
  [/[A-Za-z_$]/y, `a name or string without quotes: ${DOUBLE}`],
  [/,/y, "a comma too many: remove it"],
  [/[\]}]/y, "a closing bracket in place of a value"],
];

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![.\w])/y;
const WORD = /(true|false|null)(?!\w)/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text in JSON may not contain them
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Returns a sentence without its stop that says what is wrong and where, without any of the text. */
export function explainJson(text: string): string {
  if (/^\s*$/.test(text)) return "it is empty; send a JSON object";
  if (text.length > CHARACTERS_MAX) return "it is not valid JSON";
  if (/^[\w.%+-]+=/.test(text)) return "it is a form (name=value); send a JSON object";
  const mistake = new MistakeScanner(text).find();
  if (mistake === null) return "it is not valid JSON";
  const before = text.slice(0, mistake.offset).split("\n");
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}, ${mistake.what}`;
}

/** Walks over a text until it breaks a rule of JSON. Its depth has been checked before. */
class MistakeScanner {
  readonly #text: string;
  #at = 0;
  #commaAt = 0;
  /** The closing brackets that are still missing, the innermost last. */
  readonly #open: ("]" | "}")[] = [];
  #expected: ExpectedToken = "value";

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns null if the text is JSON. */
  find(): JsonMistake | null {
    for (;;) {
      this.#skip(SPACE);
      if (this.#at === this.#text.length) return this.#expected === "nothing" ? null : this.#explainEnd();
      const mistake = this.#step(this.#text.charAt(this.#at));
      if (mistake !== null) return mistake;
    }
  }

  #step(next: string): JsonMistake | null {
    switch (this.#expected) {
      case "nothing":
        return this.#mistake("there is more after the end of the JSON: send one object");
      case "colon":
        return next === ":" ? this.#take("value") : this.#mistake("a colon is missing");
      case "comma":
        return this.#readComma(next);
      case "first name":
      case "name":
        return this.#readName(next);
      default:
        return this.#readValue(next);
    }
  }

  #take(expected: ExpectedToken): null {
    this.#at++;
    this.#expected = expected;
    return null;
  }

  #readComma(next: string): JsonMistake | null {
    const close = this.#open.at(-1);
    if (next === ",") {
      this.#commaAt = this.#at;
      return this.#take(close === "}" ? "name" : "value");
    }
    if (next === close) return this.#close();
    if (/[\]}]/.test(next)) return this.#mistake(`there is a ${next} in place of a ${close}`);
    return this.#looksLike(LOOKS.slice(0, 1)) ?? this.#mistake(`a comma is missing, or a closing ${close}`);
  }

  #close(): null {
    this.#open.pop();
    return this.#take(this.#open.length === 0 ? "nothing" : "comma");
  }

  #readName(next: string): JsonMistake | null {
    if (next === '"') return this.#readText("colon");
    if (next !== "}") return this.#explain();
    return this.#expected === "first name" ? this.#close() : this.#explainTrailing();
  }

  #readValue(next: string): JsonMistake | null {
    if (next === "{" || next === "[") {
      this.#open.push(next === "{" ? "}" : "]");
      return this.#take(next === "{" ? "first name" : "first item");
    }
    if (next === "]" && this.#expected === "first item") return this.#close();
    if (next === "]" && this.#open.at(-1) === "]") return this.#explainTrailing();
    const after = this.#open.length === 0 ? "nothing" : "comma";
    if (next === '"') return this.#readText(after);
    if (!this.#skip(NUMBER) && !this.#skip(WORD)) return this.#explain();
    this.#expected = after;
    return null;
  }

  #readText(after: ExpectedToken): JsonMistake | null {
    const startsAt = this.#at++;
    for (;;) {
      this.#skip(PLAIN);
      const next = this.#text.charAt(this.#at);
      if (next === '"') return this.#take(after);
      if (next === "") {
        this.#at = startsAt;
        return this.#mistake("a string begins that never ends: its closing quote is missing");
      }
      if (next !== "\\") return this.#explainControl(next);
      if (!this.#skip(ESCAPE)) return this.#mistake("there is an invalid escape: write \\\\ for a backslash");
    }
  }

  #explainControl(next: string): JsonMistake {
    if (next === "\n" || next === "\r")
      return this.#mistake("there is a line break within a string: write \\n");
    return this.#mistake("there is a control character within a string: write \\t, or \\u and four digits");
  }

  #explainTrailing(): JsonMistake {
    return { offset: this.#commaAt, what: "there is a comma after the last element: remove it" };
  }

  #explainEnd(): JsonMistake {
    const missing = this.#open.toReversed().join("");
    const what =
      missing === "" ? "the text ends too early" : `the text ends before it is closed: ${missing} is missing`;
    return this.#mistake(what);
  }

  #explain(): JsonMistake {
    return this.#looksLike(LOOKS) ?? this.#mistake("there is a character that JSON doesn't allow here");
  }

  #looksLike(looks: typeof LOOKS): JsonMistake | null {
    const found = looks.find(([look]) => this.#matches(look));
    return found ? this.#mistake(`there is ${found[1]}`) : null;
  }

  #mistake(what: string): JsonMistake {
    return { offset: this.#at, what };
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** Moves behind the pattern. Returns false if it doesn't match here, or matches nothing. */
  #skip(pattern: RegExp): boolean {
    if (!this.#matches(pattern)) return false;
    const isMoved = pattern.lastIndex > this.#at;
    this.#at = pattern.lastIndex;
    return isMoved;
  }
}
