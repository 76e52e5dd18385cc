// References of a JSON Schema, written out in their places for servers that refuse them, within a bound.
import { asArray, asObject, isObject, type JsonObject } from "../../../core/json/json.ts";

/** References may lead to others, to this depth: each takes a few frames of the stack. Requests can't be nested deeper either. */
const REFERENCES_MAX = 64;
/** JSON Schema has seven types, with short names. Anything longer is none. */
const TYPES_MAX = 7;
const TYPE_CHARACTERS_MAX = 32;
/** The bytes that expansion may add to the schemas' own lengths: more would cost more than the hold covers. */
const WRITTEN_OUT_BYTES_MAX = 50_000;

/** The bytes that may still be added. The schemas of 400 tools would otherwise add 17 MB, which takes two seconds. */
export interface Expansion {
  left: number;
  /** True once a reference was written out as any value of its type. */
  isCut?: true;
}

export function makeExpansion(): Expansion {
  return { left: WRITTEN_OUT_BYTES_MAX };
}

/** The references of one schema while they are expanded. */
export interface References {
  readonly root: JsonObject;
  /** References being expanded, to stop recursion. */
  readonly open: Set<string>;
  /** The schema's own length, which expansion takes first. */
  readonly own: Expansion;
  readonly added: Expansion;
}

/** Schemas of one request share what their expansion may add. */
export function openReferences(root: JsonObject, added: Expansion): References {
  return { root, open: new Set(), own: { left: JSON.stringify(root).length }, added };
}

export function isReference(schema: JsonObject): schema is JsonObject & { $ref: string } {
  return typeof schema.$ref === "string";
}

/**
 * Returns what a reference leads to, with the keywords that stand beside it over those of its target. `convert` makes the
 * parts. A recursive reference is expanded once, then it is any value of its type, as are those beyond the bounds.
 */
export function expandReference(
  { $ref: reference, ...beside }: JsonObject & { $ref: string },
  references: References,
  convert: (schema: JsonObject) => JsonObject,
): JsonObject {
  const { open, root } = references;
  const target = findTarget(reference, root);
  const isTooDeep = open.has(reference) || open.size >= REFERENCES_MAX;
  if (isTooDeep || !takeBytes(target, references)) {
    references.added.isCut = true;
    return convert({ type: findType(target), ...beside });
  }
  open.add(reference);
  const expanded = convert(target);
  open.delete(reference);
  return { ...expanded, ...convert(beside) };
}

/** Any other value of `type` would be written out for each reference. */
function findType({ type }: JsonObject): string | readonly unknown[] {
  const isList = Array.isArray(type) && type.length <= TYPES_MAX && type.every(isTypeName);
  return isTypeName(type) || isList ? type : "object";
}

function isTypeName(type: unknown): type is string {
  return typeof type === "string" && type.length <= TYPE_CHARACTERS_MAX;
}

/** True if there is room for the target's bytes. */
function takeBytes(target: JsonObject, { own, added }: References): boolean {
  if (own.left + added.left <= 0) return false;
  const length = JSON.stringify(target).length;
  const ownPart = Math.min(own.left, length);
  own.left -= ownPart;
  added.left = Math.max(0, added.left - (length - ownPart));
  return own.left + added.left > 0;
}

/** Follows a pointer within the same document. Any other reference means "anything". */
function findTarget(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith("#")) return {};
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : asArray(found)[Number(key)];
  }
  return asObject(found);
}
