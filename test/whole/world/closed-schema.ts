// Schemas of the OpenAPI document, made strict for the tests.

/** The schema without additional properties: the document would be missing them. */
export function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, closeSchema(one)]));
  const isOpen =
    closed.additionalProperties !== undefined || !("properties" in closed) || closed.type !== "object";
  return isOpen ? closed : { ...closed, additionalProperties: false };
}
