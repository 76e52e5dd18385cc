// Values that are assigned to a name such as `db_password`: with many false alarms in code, so only used by its own name.
import type { Detector, Span } from "../detector.ts";

const NAME = /(?:password|passwd|secret|token|api[_-]?key)["'`]?\s?$/i;
const NAME_MAX = 14;
const VALUE_MIN = 12;
const VALUE_MAX = 200;
const BITS_MIN = 3.5;
const QUOTES = "\"'`";
/** Behind a value without quotes. */
const STOPS = " \t\r\n,;)]}";
const CODE = /\$\{|process\.env|[()]|^(?:\.{0,2}|~)\/|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;

/** Returns the bits that a character of the text has on average. */
function measureBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function isEnd(character: string, quote: string): boolean {
  if (character === "" || character <= " " || character > "~") return true;
  return quote === "" ? STOPS.includes(character) || QUOTES.includes(character) : character === quote;
}

/** `at` is the sign between name and value. */
function find(text: string, at: number): Span | null {
  if (!NAME.test(text.slice(Math.max(0, at - NAME_MAX), at))) return null;
  let from = at + 1;
  if (text.charAt(from) === " ") from++;
  const quote = QUOTES.includes(text.charAt(from)) ? text.charAt(from) : "";
  from += quote.length;
  let to = from;
  while (to - from <= VALUE_MAX && !isEnd(text.charAt(to), quote)) to++;
  if (to - from < VALUE_MIN || to - from > VALUE_MAX) return null;
  const value = text.slice(from, to);
  return CODE.test(value) || measureBits(value) < BITS_MIN ? null : { from, to };
}

/** Goes on up to the first quote, since the one that begins the value isn't known any more. */
function goOn(text: string, at: number, limit: number): number {
  let to = at;
  while (to < limit && !isEnd(text.charAt(to), "")) to++;
  return to;
}

export const ASSIGNED_SECRET: Detector = {
  name: "assigned_secret",
  group: null,
  mark: "SECRET",
  rule: "values of 12 to 200 characters assigned to names such as password, secret, token or api_key",
  starts: ":=",
  // The last letters of the names, a quote or a space: most signs stand behind something else.
  leads: ["dtnyDTNY\"'` "],
  find,
  cut: { goOn },
  isByContext: true,
};
