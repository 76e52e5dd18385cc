// Schemas of the OpenAPI document, made strict for the tests.
import { asObject, asString, isObject, type JsonObject } from "../../../src/core/json/json.ts";

/** The schema without additional properties: the document would be missing them. */
export function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, closeSchema(one)]));
  const isOpen =
    closed.additionalProperties !== undefined || !("properties" in closed) || closed.type !== "object";
  return isOpen ? closed : { ...closed, additionalProperties: false };
}

/** Puts the document's named schemas where they are referred to. */
export function resolveRefs(schema: unknown, document: JsonObject): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolveRefs(one, document));
  if (!isObject(schema)) return schema;
  const name = asString(schema.$ref)?.split("/").at(-1);
  if (name !== undefined) return resolveRefs(asObject(asObject(document.components).schemas)[name], document);
  return Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, resolveRefs(one, document)]));
}
