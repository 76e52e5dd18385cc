// Reads columns of a row from either engine; each reader checks the value's type.

export type FoundRow = Readonly<Record<string, unknown>>;
export type Value = string | number | null;

export function readText(found: FoundRow, column: string): string {
  const value = found[column];
  if (typeof value === "string") return value;
  throw new Error(`The store's column ${column} does not hold text.`);
}

/** Reads an integer. PostgreSQL returns large ones as text. */
export function readInteger(found: FoundRow, column: string): number {
  const value = found[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw new Error(`The store's column ${column} does not hold an integer.`);
}

/** Reads a number. PostgreSQL may return it as text. */
export function readNumber(found: FoundRow, column: string): number {
  const value = found[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new Error(`The store's column ${column} does not hold a number.`);
}

/** Reads a sum, rounded to the nearest number if it is too large to be exact. */
export function readSum(found: FoundRow, column: string): number {
  const number = Number(found[column]);
  if (found[column] !== null && Number.isInteger(number)) return number;
  throw new Error(`The store's column ${column} does not hold an integer.`);
}
