// Leaves out the nulls of a request's optional fields at any depth, as far as a schema describes them.
import { isObject, type JsonObject } from "../core/json/json.ts";
import { findTag, fitsType, type Rules } from "../core/json/schema-rules.ts";
import { mapList } from "../operations/text-json.ts";

/**
 * Returns the value without the optional fields that are null although their rules take no null. Returns the same value
 * if there are none. A null stays where it has a meaning, is required, or stands in what the rules don't describe.
 */
export function omitNulls(rules: Rules, value: unknown): unknown {
  if (rules.anyOf) {
    const meant = findMeant(rules.anyOf, value);
    return meant ? omitNulls(meant, value) : value;
  }
  const { items, properties } = rules;
  if (Array.isArray(value)) return items ? mapList<unknown>(value, (one) => omitNulls(items, one)) : value;
  return isObject(value) && properties ? omitFields(rules, properties, value) : value;
}

function omitFields(
  { required = [] }: Rules,
  properties: NonNullable<Rules["properties"]>,
  given: JsonObject,
) {
  let kept: JsonObject | null = null;
  for (const field in properties) {
    const held = Object.hasOwn(given, field) ? given[field] : undefined;
    const own = properties[field];
    if (own === undefined || held === undefined) continue;
    const isOmitted = held === null && !required.includes(field) && !takesNull(own);
    const made = omitNulls(own, held);
    if (!isOmitted && made === held) continue;
    kept ??= { ...given };
    if (isOmitted) delete kept[field];
    else kept[field] = made;
  }
  return kept ?? given;
}

function takesNull({ type, anyOf }: Rules): boolean {
  return anyOf ? anyOf.some(takesNull) : type === undefined || type === "null";
}

/** Returns the only alternative of the value's type, or of objects the one that a field names. */
function findMeant(alternatives: readonly Rules[], value: unknown): Rules | undefined {
  const alike = alternatives.filter((rules) => fitsType(rules, value));
  if (alike.length < 2) return alike[0];
  const tag = isObject(value) ? findTag(alike) : null;
  return tag && isObject(value) ? alike[tag.words.indexOf(String(value[tag.field]))] : undefined;
}
