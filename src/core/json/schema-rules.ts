// The JSON Schema keywords that our schemas use, and which alternative of a union a value is meant to be.
import { isObject } from "./json.ts";

export interface Rules {
  readonly [keyword: string]: unknown;
  /** Our own keyword: describes what is valid, as a phrase after "expected". */
  readonly expected?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Rules[];
  readonly properties?: Readonly<Record<string, Rules>>;
  readonly patternProperties?: Readonly<Record<string, Rules>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly maxProperties?: number;
  readonly items?: Rules;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** Fields that tell the objects of a union apart. */
const TAGS = ["role", "type"] as const;

/** A field that tells objects apart, with its word in each of them. */
interface Tag {
  readonly field: (typeof TAGS)[number];
  readonly words: readonly string[];
}

/** Returns the field that tells these objects apart, or null if none does. */
export function findTag(alternatives: readonly Rules[]): Tag | null {
  for (const field of TAGS) {
    const words = alternatives.flatMap((rules) => rules.properties?.[field]?.enum?.slice(0, 1) ?? []);
    if (words.length === alternatives.length) return { field, words };
  }
  return null;
}

/** True if a value has the JSON type that the rules ask for. */
export function fitsType(rules: Rules, value: unknown): boolean {
  const { type } = rules;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "null") return value === null;
  if (type === "integer") return typeof value === "number";
  return type === undefined || typeof value === type;
}
