// Reading columns of a row that a database gave: each reader checks what it takes, whatever the engine's own types are.

export type Found = Readonly<Record<string, unknown>>;
export type Value = string | number | null;

export function text(found: Found, column: string): string {
  const value = found[column];
  if (typeof value === "string") return value;
  throw new Error(`The store's column ${column} holds no text.`);
}

/** A whole number; PostgreSQL gives large ones as text. */
export function whole(found: Found, column: string): number {
  const value = found[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw new Error(`The store's column ${column} holds no whole number.`);
}

/** Any number; PostgreSQL may give it as text. */
export function real(found: Found, column: string): number {
  const value = found[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new Error(`The store's column ${column} holds no number.`);
}

/** A sum, which may be beyond what a number holds exactly: then it is the nearest. */
export function sum(found: Found, column: string): number {
  const number = Number(found[column]);
  if (found[column] !== null && Number.isInteger(number)) return number;
  throw new Error(`The store's column ${column} holds no whole number.`);
}

/** null, or what the reader takes. */
export function orNull<T>(found: Found, column: string, read: (found: Found, column: string) => T): T | null {
  return found[column] === null || found[column] === undefined ? null : read(found, column);
}

/** One of the words that the column may hold. */
export function word<Word extends string>(found: Found, column: string, words: readonly Word[]): Word {
  const value = found[column];
  const known = words.find((one) => one === value);
  if (known !== undefined) return known;
  throw new Error(`The store's column ${column} holds an unknown word.`);
}
