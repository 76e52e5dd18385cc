// Explains which field of a value violates its schema, with the messages and codes of OpenAI's API.
import { Fault, type FaultCode } from "../faults/fault.ts";
import { findNearest } from "../text/nearest.ts";
import { isObject, type JsonObject } from "./json.ts";
import { findTag, fitsType, type Rules } from "./schema-rules.ts";

const ARTICLED: Readonly<Record<string, string>> = {
  object: "an object",
  array: "an array",
  string: "a string",
  boolean: "a boolean",
  number: "a decimal",
  integer: "an integer",
  null: "null",
};

/** Returns the fault of the first invalid field, or null. Never repeats values to the client. */
export function findFirstFault(schema: Rules, value: unknown): Fault | null {
  return check(schema, value, "");
}

function check(rules: Rules, value: unknown, path: string): Fault | null {
  if (rules.anyOf) return checkUnion(rules, rules.anyOf, value, path);
  if (rules.type === undefined) return null;
  if (!fitsType(rules, value)) return wrongType([rules], value, path, rules.expected);
  if (Array.isArray(value)) return checkArray(rules, value, path);
  if (isObject(value)) return checkObject(rules, value, path);
  if (typeof value === "string") return checkString(rules, value, path);
  return typeof value === "number" ? checkNumber(rules, value, path) : null;
}

function checkObject(rules: Rules, value: JsonObject, path: string): Fault | null {
  // If the object is of another kind, a missing field is not the problem.
  const kind = rules.properties?.type;
  const ofKind = kind?.enum && value.type !== undefined && check(kind, value.type, child(path, "type"));
  if (ofKind) return ofKind;
  const { maxProperties: most = Number.POSITIVE_INFINITY } = rules;
  if (Object.keys(value).length > most) {
    const what = `too many entries. Expected at most ${most}`;
    return fault("object_above_max_properties", path, rules, what);
  }
  for (const field of rules.required ?? []) {
    if (value[field] === undefined) {
      return missingParameter(child(path, field), "", findMisspelt(rules, value, field));
    }
  }
  const each = Object.values(rules.patternProperties ?? {})[0];
  for (const field of Object.keys(value)) {
    const found = value[field] === undefined ? null : checkField(rules, each, value, field, path);
    if (found) return found;
  }
  return null;
}

/** The most fields to compare with a missing one. */
const COMPARED_MAX = 256;

interface MisspeltName {
  readonly written: string;
  readonly meant: string;
}

/** Returns the unknown field that is spelt like a missing one, if there is one. */
function findMisspelt(
  { properties = {} }: Rules,
  value: JsonObject,
  meant: string,
): MisspeltName | undefined {
  const unknown = Object.keys(value).filter((field) => !Object.hasOwn(properties, field));
  const [near] = findNearest(meant, unknown.slice(0, COMPARED_MAX), 1);
  return near === undefined ? undefined : { written: showField(near), meant };
}

/** `each` are the rules of the fields that the object's own don't list. */
function checkField(
  rules: Rules,
  each: Rules | undefined,
  value: JsonObject,
  field: string,
  path: string,
): Fault | null {
  const { properties } = rules;
  const known = properties !== undefined && Object.hasOwn(properties, field) ? properties[field] : each;
  if (known) return check(known, value[field], child(path, field));
  return rules.additionalProperties === false ? unknown(child(path, field), rules) : null;
}

function checkArray(rules: Rules, value: readonly unknown[], path: string): Fault | null {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = rules;
  if (value.length < minItems) {
    return fault("empty_array", path, rules, `empty array. Expected at least ${minItems} element`);
  }
  if (value.length > maxItems) {
    const what = `array too long. Expected at most ${maxItems} elements`;
    return fault("array_above_max_length", path, rules, what);
  }
  for (let index = 0; items && index < value.length; index++) {
    const found = check(items, value[index], `${path}[${index}]`);
    if (found) return found;
  }
  return null;
}

function checkString(rules: Rules, value: string, path: string): Fault | null {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = rules;
  if (rules.enum && !rules.enum.includes(value)) return notAmong(rules.enum, path);
  if (value.length < minLength) {
    return fault("empty_string", path, rules, "empty string. Expected at least 1 character");
  }
  if (value.length > maxLength) {
    const what = `string too long. Expected at most ${maxLength} characters`;
    return fault("string_above_max_length", path, rules, what);
  }
  if (pattern === undefined || new RegExp(pattern).test(value)) return null;
  return fault("invalid_value", path, rules, "the string doesn't match the expected format");
}

function checkNumber(rules: Rules, value: number, path: string): Fault | null {
  const kind = rules.type === "integer" ? "integer" : "decimal";
  const {
    minimum = Number.NEGATIVE_INFINITY,
    exclusiveMinimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
  } = rules;
  const isInfinite = Math.abs(value) === Number.POSITIVE_INFINITY;
  if (kind === "integer" && !isInfinite && !Number.isInteger(value)) {
    return invalidType(path, rules.expected ?? "an integer", "a decimal number");
  }
  if (value > maximum) {
    const what = `${kind} above maximum value. Expected a value <= ${maximum}`;
    return fault(`${kind}_above_max_value`, path, rules, what);
  }
  if (value < minimum) {
    const what = `${kind} below minimum value. Expected a value >= ${minimum}`;
    return fault(`${kind}_below_min_value`, path, rules, what);
  }
  // False for NaN too.
  const isBelow = value <= exclusiveMinimum;
  const what = `expected a value > ${exclusiveMinimum}`;
  return isBelow ? fault(`${kind}_below_min_value`, path, rules, what) : null;
}

/** Finds the intended alternative, by JSON type and then by the field that tells the objects apart. */
function checkUnion(
  { expected }: Rules,
  alternatives: readonly Rules[],
  value: unknown,
  path: string,
): Fault | null {
  const isNamed = (rules: Rules) => typeof value === "string" && rules.enum?.includes(value) !== false;
  // If the union has its own wording, a string that matches no alternative counts as the wrong type.
  const isMeant = (rules: Rules) => expected === undefined || rules.type !== "string" || isNamed(rules);
  const alike = alternatives.filter((rules) => fitsType(rules, value) && isMeant(rules));
  const [only] = alike;
  if (!only) return wrongType(alternatives, value, path, expected);
  if (alike.length === 1) return check(only, value, path);
  const tag = isObject(value) ? findTag(alike) : null;
  if (tag === null || !isObject(value)) return check(only, value, path);
  const word = value[tag.field];
  const where = child(path, tag.field);
  if (word === undefined) return missingParameter(where, listValues(tag.words));
  if (typeof word !== "string") return wrongType([{ type: "string" }], word, where);
  const chosen = alike[tag.words.indexOf(word)];
  return chosen ? check(chosen, value, path) : notAmong(tag.words, where);
}

function child(path: string, field: string): string {
  return path === "" ? showField(field) : `${path}.${showField(field)}`;
}

function showField(field: string): string {
  return /^[\w.-]{1,64}$/.test(field) ? field : "?";
}

function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "number" ? "a number" : (ARTICLED[typeof value] ?? "nothing");
}

function wrongType(
  alternatives: readonly Rules[],
  value: unknown,
  path: string,
  expected = listKinds(alternatives),
): Fault {
  if (path === "")
    return new Fault("invalid_json", `The request body must be a JSON object, not ${describeKind(value)}.`);
  return invalidType(path, expected, describeKind(value), hintAtQuotes(alternatives, value));
}

/** A number or boolean in quotes is a frequent mistake of programs that read it from a form or the environment. */
function hintAtQuotes(alternatives: readonly Rules[], value: unknown): string {
  if (typeof value !== "string") return "";
  const isMeant = alternatives.some(({ type = "" }) => QUOTED[type]?.test(value));
  return isMeant ? " Send it without quotes." : "";
}

/** Texts that spell a value of another type. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  boolean: /^(true|false)$/i,
  integer: /^-?\d{1,16}$/,
  number: /^-?\d{1,16}(\.\d{1,16})?$/,
};

function listKinds(alternatives: readonly Rules[]): string {
  const kinds = alternatives.map((rules) => ARTICLED[rules.type ?? ""] ?? "another type");
  return [...new Set(kinds)].join(" or ");
}

/** `hint` is a sentence with a space in front. */
function invalidType(path: string, expected: string, got: string, hint = ""): Fault {
  const said = `expected ${expected}, but got ${got} instead.${hint}`;
  const mistake = { what: said.replace(/\.$/, "") };
  return new Fault("invalid_type", `Invalid type for '${path}': ${said}`, { param: path, mistake });
}

/** `what` is a sentence without its stop, which a question doesn't have. */
export function invalidValue(param: string, what: string): Fault {
  const stop = what.endsWith("?") ? "" : ".";
  return new Fault("invalid_value", `Invalid '${param}': ${what}${stop}`, { param, mistake: { what } });
}

/** `hint` is a sentence with a space in front. */
export function missingParameter(path: string, hint = "", misspelt?: MisspeltName): Fault {
  const seen = misspelt && ` The request has '${misspelt.written}': did you mean '${misspelt.meant}'?`;
  const message = `Missing required parameter: '${path}'.${seen ?? hint}`;
  const mistake = { what: "missing", misspelt: misspelt?.written };
  return new Fault("missing_required_parameter", message, { param: path, mistake });
}

function unknown(path: string, { properties = {} }: Rules): Fault {
  const known = Object.keys(properties);
  const supported =
    known.length === 0 ? "None is supported here." : `Supported parameters are: ${known.join(", ")}.`;
  const message = `Unknown parameter: '${path}'. ${supported}`;
  return new Fault("unknown_parameter", message, { param: path, mistake: { what: "unknown field", known } });
}

function notAmong(values: readonly string[], path: string): Fault {
  const mistake = { what: `expected one of ${values.join(", ")}` };
  const message = `Invalid value for '${path}'.${listValues(values)}`;
  return new Fault("invalid_value", message, { param: path, mistake });
}

function listValues(values: readonly string[]): string {
  return ` Supported values are: ${values.map((value) => `'${value}'`).join(", ")}.`;
}

/** If the schema has its own wording, its bounds are reported together. */
function fault(code: FaultCode, path: string, { expected }: Rules, what: string): Fault {
  if (expected === undefined)
    return new Fault(code, `Invalid '${path}': ${what}.`, { param: path, mistake: { what } });
  return invalidValue(path, `expected ${expected}`);
}
