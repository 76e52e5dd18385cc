// Replaces the schemas that have names by references, wherever they stand in the document.
import { asObject, isObject, type JsonObject } from "../../core/json/json.ts";

interface NamedParts {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

/** Takes the schemas by their names, in OpenAPI's form. One that nothing refers to is left out. */
export function referTo(schemas: Readonly<Record<string, unknown>>, paths: JsonObject): NamedParts {
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  const used = new Map<string, unknown>();
  const refer = (value: unknown, isRoot: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => refer(one, false));
    if (!isObject(value)) return value;
    const name = isRoot ? undefined : findName(value, names);
    if (name === undefined) return mapValues(value, (one) => refer(one, false));
    if (!used.has(name)) {
      // Before what stands in it, so that one that holds itself would end.
      used.set(name, null);
      used.set(name, refer(value, true));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const shown = mapValues(paths, (path) => refer(path, false));
  return { paths: shown, schemas: Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Only what looks like a schema is written out to be compared. */
function findName(value: JsonObject, names: ReadonlyMap<string, string>): string | undefined {
  const isSchema = "properties" in value || "anyOf" in value;
  return isSchema ? names.get(JSON.stringify(value)) : undefined;
}

function mapValues(value: unknown, map: (one: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(asObject(value)).map(([name, one]) => [name, map(one)]));
}
