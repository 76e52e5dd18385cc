// Integers in the client's own JSON: numbers of cards and people, which stand there without quotes.

const DIGITS_MIN = 9;
const DIGITS_MAX = 19;

/** Returns the text of an integer that is searched, or null for other numbers. */
export function readInteger(value: number): string | null {
  if (!Number.isInteger(value)) return null;
  const text = String(Math.abs(value));
  return text.length >= DIGITS_MIN && text.length <= DIGITS_MAX && !text.includes("e") ? text : null;
}
