// A place in a request that grows, and the schemas and texts that all surfaces have in common.
import type { JsonObject } from "../../../src/core/json/json.ts";

/** Returns a request's body with `count` of something. */
export type Place = (count: number) => JsonObject;
export type Places = Readonly<Record<string, Place>>;

export function list<Item>(count: number, make: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

export function fill(count: number, make: (at: number) => unknown): JsonObject {
  return Object.fromEntries(list(count, (at) => [`k${at}`, make(at)]));
}

/** 1 MB of base64 is 20,000 units. */
export function makeBase64(count: number): string {
  return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR4".repeat(count);
}

const TEXT = { type: "string" };

/** The schema's own shape grows, in the ways that a translation may have to follow. */
export const SCHEMAS: Readonly<Record<string, (count: number) => JsonObject>> = {
  "a chain of references": (count) => ({
    $ref: "#/$defs/a0",
    $defs: Object.fromEntries([
      ...list(count, (at) => [`a${at}`, { $ref: `#/$defs/a${at + 1}` }] as const),
      [`a${count}`, TEXT],
    ]),
  }),
  "references to one definition": (count) => ({
    type: "object",
    properties: fill(count, () => ({ $ref: "#/$defs/a" })),
    $defs: { a: { type: "object", properties: fill(20, () => TEXT) } },
  }),
  "references to a growing definition": (count) => ({
    type: "object",
    properties: fill(count, () => ({ $ref: "#/$defs/a" })),
    $defs: { a: { type: list(count, () => "string") } },
  }),
  properties: (count) => ({
    type: "object",
    properties: fill(count, () => TEXT),
    required: list(count, (at) => `k${at}`),
  }),
  "properties, deep": (count) => ({
    type: "object",
    properties: fill(count / 20, () => nest(20)),
  }),
  allOf: (count) => ({
    type: "object",
    allOf: list(count, (at) => ({ properties: { [`k${at}`]: TEXT }, required: [`k${at}`] })),
  }),
  anyOf: (count) => ({
    type: "object",
    anyOf: list(count, (at) => ({
      type: "object",
      properties: { [`k${at}`]: TEXT },
      required: [`k${at}`, "a"],
    })),
  }),
  "an enum": (count) => ({ type: "object", properties: { a: { enum: list(count, (at) => `v${at}`) } } }),
};

function nest(levels: number): JsonObject {
  return levels === 0 ? TEXT : { type: "object", properties: { a: nest(levels - 1) } };
}

/** Arguments and results that grow, as values. */
export const INPUTS: Readonly<Record<string, (count: number) => JsonObject>> = {
  fields: (count) => fill(count, (at) => at),
  "empty lists": (count) => ({ a: list(count, () => []) }),
  text: (count) => ({ a: 'a "quoted" text\n'.repeat(count) }),
};

/** Makes a place of each row, under a common name. */
export function makePlaces<Made>(
  name: string,
  rows: Readonly<Record<string, (count: number) => Made>>,
  place: (made: Made) => JsonObject,
): Places {
  return Object.fromEntries(
    Object.entries(rows).map(([row, make]) => [`${name}: ${row}`, (count: number) => place(make(count))]),
  );
}
