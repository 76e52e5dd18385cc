// Reads columns of a row from either engine; each reader checks the value's type.

export type FoundRow = Readonly<Record<string, unknown>>;
export type Value = string | number | null;

export function readText(row: FoundRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new Error(`The store's column ${column} does not hold text.`);
}

/** Reads an integer. PostgreSQL returns large ones as text. */
export function readInteger(row: FoundRow, column: string): number {
  const value = row[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw new Error(`The store's column ${column} does not hold an integer.`);
}

/** Reads a number. PostgreSQL may return it as text. */
export function readNumber(row: FoundRow, column: string): number {
  const value = row[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new Error(`The store's column ${column} does not hold a number.`);
}

/** Reads a sum, rounded to the nearest number if it is too large to be exact. */
export function readSum(row: FoundRow, column: string): number {
  const number = Number(row[column]);
  if (row[column] !== null && Number.isInteger(number)) return number;
  throw new Error(`The store's column ${column} does not hold an integer.`);
}
