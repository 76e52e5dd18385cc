// Validates values against a schema, mainly the configuration's, and describes each error at its field.
import type { TSchema } from "@sinclair/typebox";
import { ValueErrorType } from "@sinclair/typebox/errors";
import { Value, type ValueError } from "@sinclair/typebox/value";
import { isObject } from "../core/json/json.ts";
import { suggest } from "../core/text/nearest.ts";
import { type Issue, nameKind, type Path, showValue } from "./errors.ts";
import { type Interpolation, parseTyped } from "./interpolate.ts";
import { type Config, ConfigSchema } from "./schema.ts";

type Validation =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Returns the value as a configuration. Interpolated texts that spell the number or boolean that a field needs are replaced in place. */
export function validateConfig(value: unknown, sources: Interpolation["sources"]): Validation {
  const root = value ?? {};
  if (Value.Check(ConfigSchema, root)) return { ok: true, config: root };
  // Listing the errors takes the most time, and nothing is retyped without such texts.
  if (sources.size > 0) for (const { path } of listErrors(ConfigSchema, root)) retype(root, path, sources);
  if (sources.size > 0 && Value.Check(ConfigSchema, root)) return { ok: true, config: root };
  return { ok: false, issues: listIssues(ConfigSchema, root, sources) };
}

/** Replaces an interpolated text by the number or boolean that it spells, if it spells one. */
function retype(root: unknown, path: Path, sources: Interpolation["sources"]): void {
  const last = path.at(-1);
  const parent = path.slice(0, -1).reduce(findChild, root);
  const value = last === undefined ? undefined : findChild(parent, last);
  if (last === undefined || typeof value !== "string" || !sources.has(JSON.stringify(path))) return;
  const typed = parseTyped(value);
  if (typed === undefined) return;
  if (Array.isArray(parent)) parent[Number(last)] = typed;
  else if (isObject(parent)) parent[last] = typed;
}

const FIELDS_SHOWN_MAX = 14;

/** Lists at most one issue per field. `sources` holds texts to show in place of the values. */
export function listIssues(
  schema: TSchema,
  root: unknown,
  sources: Interpolation["sources"] = new Map(),
): readonly Issue[] {
  const issues = new Map<string, Issue>();
  for (const { error, path } of listErrors(schema, root)) {
    const key = JSON.stringify(path);
    if (!issues.has(key)) issues.set(key, describeIssue(error, path, sources.get(key)));
  }
  return [...issues.values()];
}

function listErrors(schema: TSchema, root: unknown) {
  return [...Value.Errors(schema, root)]
    .flatMap(findDeepest)
    .map((error) => ({ error, path: parsePointer(error, root) }));
}

/**
 * For a union, returns the errors of the form that the value has: a mapping in the place of a key is a `{ key, weight }`. Of
 * several mappings, it has the one with the fewest errors.
 */
function findDeepest(error: ValueError): ValueError[] {
  if (error.type !== ValueErrorType.Union) return [error];
  const forms = error.errors.map((form) => [...form]);
  const alike = forms.filter((errors) => errors.every((inner) => inner.path !== error.path));
  const [closest] = alike.toSorted((one, other) => one.length - other.length);
  return closest?.flatMap(findDeepest) ?? [error];
}

/** Parses a JSON pointer into a path, in which steps into lists are numbers. */
function parsePointer(error: ValueError, root: unknown): Path {
  let node: unknown = root;
  return error.path
    .split("/")
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
      const step = Array.isArray(node) ? Number(name) : name;
      node = findChild(node, step);
      return step;
    });
}

function findChild(node: unknown, step: string | number): unknown {
  if (Array.isArray(node)) return node[Number(step)];
  return isObject(node) ? node[step] : undefined;
}

function describeIssue(error: ValueError, path: Path, source: string | undefined): Issue {
  const { type, schema, value } = error;
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    return { path, at: "key", message: describeUnknown(path, schema) };
  }
  if (type === ValueErrorType.ObjectRequiredProperty) {
    return { path, at: "key", message: `this field is missing: expected ${describeExpected(schema)}` };
  }
  // Where a mapping or list is expected, the value isn't shown: it is often an API key written one level too high.
  const got = isContainer(schema) ? nameKind(value) : showValue(source ?? value, path);
  return { path, at: "value", message: `expected ${describeExpected(schema)}, got ${got}` };
}

function isContainer(schema: TSchema): boolean {
  const forms: readonly TSchema[] = schema.anyOf ?? [schema];
  return forms.some(({ type }) => type === "object" || type === "array");
}

function describeUnknown(path: Path, schema: TSchema): string {
  const name = String(path.at(-1));
  if (schema.patternProperties !== undefined)
    return `expected ${schema.expectedName}, got ${showValue(name, path.slice(0, -1))}`;
  const other = schema.others?.[name];
  if (typeof other === "string") return `unknown field; ${other}`;
  const known = Object.keys(schema.properties ?? {});
  const left = known.length - FIELDS_SHOWN_MAX;
  const shown = known.slice(0, FIELDS_SHOWN_MAX).join(", ");
  const listed = `; expected one of ${shown}${left > 0 ? ` or ${left} others` : ""}`;
  return `unknown field${suggest(name, known) || listed}`;
}

function describeList({ maxItems, items }: TSchema): string {
  const list = maxItems === undefined ? "a list" : `a list of at most ${maxItems}`;
  return typeof items?.expected === "string" ? `${list} in [ ], each ${items.expected}` : list;
}

function describeExpected(schema: TSchema): string {
  if (typeof schema.expected === "string") return schema.expected;
  switch (schema.type) {
    case "boolean":
      return "true or false";
    case "array":
      return describeList(schema);
    default:
      return "a different type";
  }
}
