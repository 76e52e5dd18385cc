// The meaning and default of each field, for the manual and for editors by the published schema.
import { asArray, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import { MINUTE_LIMITS } from "../core/limits/limit-table.ts";
import notes from "./field-notes.yaml";

export interface FieldNote {
  readonly meaning: string;
  /** The value that counts if the field is left out. */
  readonly default?: unknown;
}

/** The notes by path: `<name>` is a name that the operator chooses, `<skill>` a kind of task, `[]` an entry of a list. */
export const FIELDS: Readonly<Record<string, FieldNote>> = { ...notes, ...describeLimits() };

/** The notes of a limit stand in its row. */
function describeLimits(): Readonly<Record<string, FieldNote>> {
  return Object.fromEntries(
    MINUTE_LIMITS.flatMap(({ name, key, member, credential }) => [
      [`key_defaults.${name}`, { meaning: key.meaning, default: null }],
      [`key_maxima.${name}`, { meaning: `The largest \`${name}\`.`, default: null }],
      [`member_defaults.${name}`, { meaning: member.meaning, default: null }],
      [`sign_in.oidc.rules[].${name}`, { meaning: member.meaning }],
      [`providers.<name>.keys[].${name}`, { meaning: credential.meaning }],
    ]),
  );
}

type VisitField = (path: string, field: JsonObject) => void;

/** Visits the fields of a JSON Schema, outer ones first, with their paths in the form of `FIELDS`. */
export function visitFields(schema: JsonObject, visit: VisitField, path = ""): void {
  const before = path === "" ? "" : `${path}.`;
  const isBySkill = path === "router.pin" || path.endsWith(".skills");
  for (const [name, field] of Object.entries(asObject(schema.properties))) {
    visitField(`${before}${isBySkill ? "<skill>" : name}`, field, visit);
  }
  for (const field of Object.values(asObject(schema.patternProperties))) {
    visitField(`${before}<name>`, field, visit);
  }
  for (const one of asArray(schema.anyOf)) visitFields(asObject(one), visit, path);
  if (isObject(schema.items)) visitFields(schema.items, visit, `${path}[]`);
}

function visitField(path: string, field: unknown, visit: VisitField): void {
  if (!isObject(field)) return;
  visit(path, field);
  visitFields(field, visit, path);
}

/** Paths whose fields have the notes of another path. */
const SAME: readonly (readonly [path: string, as: string])[] = [
  ["key_maxima.budgets[].", "key_defaults.budgets[]."],
  ["key_maxima.model_limits[].", "key_defaults.model_limits[]."],
  ["member_defaults.budgets[].", "key_defaults.budgets[]."],
  ["sign_in.oidc.rules[].budgets[].", "key_defaults.budgets[]."],
  ...["hooks[]", "webhooks[]", "telemetry.otlp", "sign_in.oidc"].flatMap((caller) =>
    ["tls", "proxy", "no_proxy"].map((of) => [`${caller}.${of}`, `providers.<name>.${of}`] as const),
  ),
  ["models.<name>.price.", "providers.<name>.models[].price."],
  ["models.<name>.later_prices[].", "providers.<name>.models[].later_prices[]."],
  ["providers.<name>.models[].later_prices[].", "providers.<name>.models[].price."],
  ["providers.<name>.models[].price.hours[].", "providers.<name>.models[].price."],
  ["providers.<name>.models[].price.tiers[].", "providers.<name>.models[].price."],
  ["providers.<name>.models[].price.service.priority.", "providers.<name>.models[].price."],
  ["providers.<name>.models[].price.service.flex.", "providers.<name>.models[].price."],
  ["providers.<name>.models[].price.service.fast.", "providers.<name>.models[].price."],
  ["providers.<name>.models[].price.service.ultrafast.", "providers.<name>.models[].price."],
];

export function findNote(path: string): FieldNote | undefined {
  const own = FIELDS[path];
  if (own !== undefined) return own;
  const same = SAME.find(([from]) => path.startsWith(from));
  return same && findNote(path.replace(...same));
}

/** Adds the fields' meanings and defaults to the configuration's JSON Schema, for editors to show. */
export function describeFields(schema: JsonObject): JsonObject {
  visitFields(schema, (path, field) => {
    const note = findNote(path);
    if (note === undefined) return;
    field.description = note.meaning;
    if (note.default !== undefined) field.default = note.default;
  });
  return schema;
}
