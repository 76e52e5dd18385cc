// The manual's table of configuration fields, generated from the schema and the notes on its fields.
import { FIELDS, type FieldNote, findNote, visitFields } from "../../src/config/fields.ts";
import { ConfigSchema } from "../../src/config/schema.ts";
import { asArray, asString, isObject, type JsonObject } from "../../src/core/json.ts";

/** A heading for each section of the file, and a row for each of its fields. */
export function configurationTable(): string {
  const fields = new Map<string, JsonObject>();
  visitFields(ConfigSchema, (path, field) => fields.set(path, fields.get(path) ?? field));
  const lines: string[] = [];
  for (const [path, field] of fields) {
    const note = FIELDS[path];
    if (note === undefined && findNote(path) !== undefined) continue;
    if (note === undefined) throw new Error(`src/config/field-notes.yaml says nothing about ${path}.`);
    if (path.includes(".")) lines.push(rowOf(path, field, note));
    else lines.push("", `### ${path}`, "", note.meaning, "", ...headOf(field, note));
  }
  return lines.join("\n").trim();
}

function headOf(field: JsonObject, { default: given }: FieldNote): readonly string[] {
  if (isSection(field)) return ["| field | meaning | value | default |", "|---|---|---|---|"];
  return ["| value | default |", "|---|---|", `| ${typeOf(field)} | ${defaultOf(given)} |`];
}

/** The section's heading shows where the field belongs, and in named sections the name does. */
function rowOf(path: string, field: JsonObject, { meaning, default: given }: FieldNote): string {
  const within = path.replace(/^[a-z]+\./, "").replace(/^<name>\./, "");
  return `| \`${within}\` | ${meaning} | ${typeOf(field)} | ${defaultOf(given)} |`;
}

function isSection(field: JsonObject): boolean {
  return isObject(field.properties) || isObject(field.patternProperties);
}

function typeOf(field: JsonObject): string {
  const expected = asString(field.expected);
  if (field.type === "boolean") return "true or false";
  if (field.type === "array") {
    const of = isObject(field.items) ? typeOf(field.items) : "";
    return of === "fields" ? "a list of fields" : `a list: each ${of}`;
  }
  if (isSection(field)) return "fields";
  if (expected !== undefined) return expected.replaceAll("|", "\\|");
  const kinds = asArray(field.anyOf).map((one) => (isObject(one) ? typeOf(one) : ""));
  return kinds.join(", or ");
}

function defaultOf(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.length === 0 ? "none" : `\`${JSON.stringify(value)}\``;
  return isObject(value) && Object.keys(value).length === 0 ? "none" : `\`${String(value)}\``;
}
