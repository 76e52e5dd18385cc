// The fields of a client's request that its surface doesn't read: only the native lane carries them.
import { isObject, type JsonObject } from "../core/json/json.ts";
import type { LaneTable } from "./lane.ts";

/** The names that a surface reads, and for fields that are read only in part, the names that they hold. */
export type ReadFields = Readonly<Record<string, true | readonly string[]>>;

/** Lists the set fields that are not read, by their paths. Null is a field left out. */
export function listLostFields(body: JsonObject, read: ReadFields): string[] {
  const lost: string[] = [];
  for (const field in body) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    const known = Object.hasOwn(read, field) ? read[field] : undefined;
    if (known === undefined) lost.push(field);
    else if (known !== true && isObject(value)) lost.push(...listLostWithin(value, known, field));
  }
  return lost;
}

function listLostWithin(held: JsonObject, known: readonly string[], holder: string): readonly string[] {
  const isLost = (field: string) =>
    !known.includes(field) && held[field] !== undefined && held[field] !== null;
  return Object.keys(held)
    .filter(isLost)
    .map((field) => `${holder}.${field}`);
}

/**
 * Lists the paths of given words that a translation can make nothing of, such as an effort that no other family has.
 * Each comes with what is known there. Null is a field left out.
 */
export function listLostWords(
  ...words: readonly (readonly [string, unknown, ReadonlySet<unknown>])[]
): string[] {
  const lost: string[] = [];
  for (const [path, word, known] of words) noteLostWord(lost, path, word, known);
  return lost;
}

/** Adds the path of a word that a translation can make nothing of. */
export function noteLostWord(lost: string[], path: string, word: unknown, known: ReadonlySet<unknown>): void {
  if (word !== undefined && word !== null && !known.has(word)) lost.push(path);
}

/** Marks fields as read whole. */
export function readWhole(...fields: readonly string[]): ReadFields {
  return Object.fromEntries(fields.map((field) => [field, true as const]));
}

/** Returns the top-level fields of a surface: those that its schema checks, that it reads, and that never pass it. */
export function listFields(
  { properties }: { readonly properties: object },
  read: ReadFields,
  lane?: Pick<LaneTable, "rows">,
): ReadonlySet<string> {
  const rows = lane?.rows.map(({ field }) => field) ?? [];
  return new Set([...Object.keys(properties), ...Object.keys(read), ...rows]);
}
