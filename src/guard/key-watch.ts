// Watches for private keys in PEM, character by character: as long as one may go on, no break is made in it.

const LABEL = /^(?:BEGIN|END) (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?$/;
const LABEL_MAX = 96;
const HYPHENS = 5;
const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const HYPHEN = 45;
const COLON = 58;
const BACKSLASH = 92;
const CAPITAL_B = 66;
const CAPITAL_E = 69;
const SMALL_N = 110;
const SMALL_R = 114;
const ASCII = 128;

function mark(characters: string): Uint8Array {
  const marks = new Uint8Array(ASCII);
  for (const character of characters) marks[character.charCodeAt(0)] = 1;
  return marks;
}

const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LABEL_CODES = mark(`${CAPITALS}0123456789 `);
const LINE_CODES = mark(`${CAPITALS}${CAPITALS.toLowerCase()}0123456789+/=-`);

/** Where a text stands: outside, in the words or hyphens of the line that begins or ends a key, or in a line within it. */
type KeyTextPlace = "out" | "label" | "hyphens" | "start" | "line" | "name" | "header" | "escape";

export class KeyWatch {
  #place: KeyTextPlace = "out";
  #hyphens = 0;
  #label = "";

  /** True from the first letter of the line that begins a key up to its end, or to what belongs to none. */
  get isIn(): boolean {
    return this.#place !== "out";
  }

  push(code: number): void {
    if (this.#place !== "out") this.#place = this.#step(code);
    if (this.#place !== "hyphens") this.#beginLabel(code);
  }

  /** Five hyphens and a letter begin a label, wherever they stand. */
  #beginLabel(code: number): void {
    if (code === HYPHEN) {
      this.#hyphens++;
      return;
    }
    const isIn = this.#place !== "out";
    if (this.#hyphens >= HYPHENS && (code === CAPITAL_B || (isIn && code === CAPITAL_E))) {
      this.#place = "label";
      this.#label = String.fromCharCode(code);
    }
    this.#hyphens = 0;
  }

  #step(code: number): KeyTextPlace {
    switch (this.#place) {
      case "label":
        return this.#readLabel(code);
      case "hyphens":
        return this.#readHyphens(code);
      case "escape":
        return code === SMALL_N || code === SMALL_R ? "start" : "out";
      case "name":
        return code === SPACE ? "header" : "out";
      default:
        return this.#readLine(code);
    }
  }

  #readLabel(code: number): KeyTextPlace {
    if (code === HYPHEN) {
      this.#hyphens = 1;
      return LABEL.test(this.#label) ? "hyphens" : "out";
    }
    if (LABEL_CODES[code] !== 1 || this.#label.length === LABEL_MAX) return "out";
    this.#label += String.fromCharCode(code);
    return "label";
  }

  #readHyphens(code: number): KeyTextPlace {
    if (code !== HYPHEN) return "out";
    this.#hyphens++;
    if (this.#hyphens < HYPHENS) return "hyphens";
    this.#hyphens = 0;
    return this.#label.startsWith("BEGIN") ? "start" : "out";
  }

  #readLine(code: number): KeyTextPlace {
    if (code === LINE_FEED) return "start";
    if (code === BACKSLASH) return "escape";
    if (this.#place === "header") return "header";
    if (code === RETURN) return "start";
    if (this.#place === "start" && (code === SPACE || code === TAB)) return "start";
    if (code === COLON && this.#place === "line") return "name";
    return LINE_CODES[code] === 1 ? "line" : "out";
  }
}
