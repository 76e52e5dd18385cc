// The places in a text that no value spans, found character by character: what stands before one can leave.
import { isAlphanumeric, isDigit, isLetter, isPair } from "./characters.ts";
import type { Detector } from "./detector.ts";
import { KeyWatch } from "./key-watch.ts";

const ASCII = 128;
const SPACE = 32;
const QUOTES = [34, 39, 96];
const OPEN = 40;
const CLOSE = 41;
const HYPHEN = 45;
const DOT = 46;
const SLASH = 47;
const COLON = 58;
const EQUALS = 61;
const TILDE = 126;

/** Characters that stand in no value but a password in an address, a secret that is assigned, and a private key. */
const SEPARATORS = new Uint8Array(ASCII).fill(1, 0, SPACE);
for (const character of ',;"<>[]\\`\x7f') SEPARATORS[character.charCodeAt(0)] = 1;
/** The characters that end the part of an address with user, password and host. */
const AUTHORITY_ENDS = new Uint8Array(ASCII);
for (const character of "/?#\"'<>`\\ \t\r\n,;()|") AUTHORITY_ENDS[character.charCodeAt(0)] = 1;
/** Characters without which no value is shorter than `SHORT`. */
const SIGNS = new Uint8Array(ASCII);
for (const character of "0123456789@_-:=") SIGNS[character.charCodeAt(0)] = 1;
const SHORT = 20;
/** A value with spaces has them before these, and behind these or a closing bracket. */
const SPACED = new Uint8Array(ASCII).fill(1, 48, 58).fill(1, 65, 91);

function isMarked(marks: Uint8Array, code: number): boolean {
  return code < ASCII && marks[code] === 1;
}

/** The states of a value that is assigned: none, behind the sign, or in the value. */
const NONE = 0;
const SIGN = 1;
const VALUE = 2;

/**
 * Divides a text at the places that no value of the detectors spans, by what stands before each and the one character behind
 * it: so a segment ends with a space, a line's end, a comma, a quote or another sign that no value contains. Where such a sign may
 * belong to a value (groups of digits, a password, lines of a key) the segment goes on.
 */
export class Breaks {
  /** The place at which the last segment begins. */
  from = 0;
  /** True if the segment may hold a value. */
  isSuspect = false;
  readonly #hasSpaces: boolean;
  readonly #hasAddresses: boolean;
  readonly #hasAssigned: boolean;
  readonly #key: KeyWatch | null;
  #length = 0;
  /** The last three characters. */
  #last = 0;
  #second = 0;
  #third = 0;
  #isInAddress = false;
  #assigned = NONE;

  constructor(rows: readonly Detector[]) {
    const names = new Set(rows.map(({ name }) => name));
    this.#hasSpaces = rows.some((row) => row.hasSpaces);
    this.#hasAddresses = names.has("url_password");
    this.#hasAssigned = names.has("assigned_secret");
    this.#key = names.has("private_key") ? new KeyWatch() : null;
  }

  /** Takes the next character, and returns true if no value spans the place before it. */
  push(code: number): boolean {
    const isBreak =
      this.#isSeparated(code) && !this.#isInAddress && this.#assigned === NONE && !this.#key?.isIn;
    this.#watch(code);
    if (isMarked(SIGNS, code) || this.#length - this.from >= SHORT) this.isSuspect = true;
    this.#length++;
    this.#third = this.#second;
    this.#second = this.#last;
    this.#last = code;
    return isBreak;
  }

  /** Begins a segment at the place before the last character. */
  begin(): void {
    this.from = this.#length - 1;
    this.isSuspect = isMarked(SIGNS, this.#last);
  }

  #isSeparated(code: number): boolean {
    const last = this.#last;
    if (last >= ASCII) return !isPair(last, code);
    if (SEPARATORS[last] === 1) return true;
    if (last === SPACE) return !this.#isSpaced(code);
    if (last === OPEN) return !isDigit(code);
    return last === CLOSE && !(code === SPACE || code === HYPHEN || code === DOT || isDigit(code));
  }

  #isSpaced(code: number): boolean {
    if (!this.#hasSpaces || !(isMarked(SPACED, code) || code === OPEN)) return false;
    return isMarked(SPACED, this.#second) || this.#second === CLOSE;
  }

  #watch(code: number): void {
    this.#key?.push(code);
    if (this.#hasAddresses) this.#watchAddress(code);
    if (this.#hasAssigned) this.#watchAssigned(code);
  }

  #watchAddress(code: number): void {
    if (this.#isInAddress) this.#isInAddress = !isMarked(AUTHORITY_ENDS, code);
    const isBegun = code === SLASH && this.#last === SLASH && this.#second === COLON;
    if (isBegun && isAlphanumeric(this.#third)) this.#isInAddress = true;
  }

  #watchAssigned(code: number): void {
    if ((code === COLON || code === EQUALS) && mayEndName(this.#last)) this.#assigned = SIGN;
    else if (this.#assigned === SIGN) this.#assigned = VALUE;
    else if (code <= SPACE || code > TILDE) this.#assigned = NONE;
    if (this.#assigned === VALUE && code !== SPACE && (code < SPACE || code > TILDE)) this.#assigned = NONE;
  }
}

function mayEndName(code: number): boolean {
  return isLetter(code) || code === SPACE || QUOTES.includes(code);
}
