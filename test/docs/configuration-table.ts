// The manual's table of configuration fields, generated from the schema and the notes on its fields.
import { FIELDS, type FieldNote, findNote, visitFields } from "../../src/config/fields.ts";
import { ConfigSchema } from "../../src/config/schema.ts";
import { asArray, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";

/** A field within its section: in `providers`, `timeouts.idle`. */
interface Row {
  readonly within: string;
  readonly cells: string;
}

interface Section {
  readonly name: string;
  readonly intro: readonly string[];
  readonly rows: Row[];
}

/** Groups of fields with as many are folded, unless the section has fewer others. */
const FOLDED_LEAST = 3;
/** A section with more fields is folded as a whole. */
const SHOWN_MAX = 6;
const HEAD = ["| field | |", "|---|---|"];

/** A heading for each section of the file, and a row for each of its fields, those of larger groups in a folded table. */
export function configurationTable(): string {
  const fields = new Map<string, JsonObject>();
  visitFields(ConfigSchema, (path, field) => fields.set(path, fields.get(path) ?? field));
  const sections: Section[] = [];
  for (const [path, field] of fields) {
    const note = FIELDS[path];
    if (note === undefined && findNote(path) !== undefined) continue;
    if (note === undefined) throw new Error(`src/config/field-notes.yaml says nothing about ${path}.`);
    if (path.includes(".")) sections.at(-1)?.rows.push(rowOf(path, field, note));
    else
      sections.push({
        name: path,
        intro: ["", `### ${path}`, "", note.meaning, "", ...headOf(field, note)],
        rows: [],
      });
  }
  return sections
    .flatMap(renderSection)
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function renderSection({ name, intro, rows }: Section): readonly string[] {
  const groups = Map.groupBy(rows, ({ within }) =>
    isOfCloud(within, rows) ? CLOUDS : findGroup(within, rows),
  );
  const own = groups.get("") ?? [];
  const folded = [...groups].filter(([group]) => group !== "");
  const isLong = own.length > SHOWN_MAX;
  return [
    ...intro,
    ...(isLong ? fold(name, own) : own.length > 0 ? renderTable(own) : []),
    ...folded.flatMap(([group, of]) => fold(group, of)),
  ];
}

function renderTable(rows: readonly Row[]): readonly string[] {
  return [...HEAD, ...rows.map(({ within, cells }) => `| \`${within}\` ${cells}`)];
}

function fold(name: string, rows: readonly Row[]): readonly string[] {
  const shown = name === CLOUDS ? CLOUDS : `<code>${name.replace("<", "&lt;")}</code>`;
  return [
    "",
    "<details>",
    `<summary>Fields of ${shown}</summary>`,
    "",
    ...renderTable(rows),
    "",
    "</details>",
  ];
}

const CLOUDS = "Azure, Bedrock and Vertex";

/** The meaning of such a field, or of the one that it is in, begins with the cloud's name. */
function isOfCloud(within: string, rows: readonly Row[]): boolean {
  const [top = within] = listParents(within);
  return rows.some((row) => row.within === top && /^\| (Azure|Bedrock|Vertex): /.test(row.cells));
}

/** Returns the innermost of the field's parents whose fields are folded, or nothing. */
function findGroup(within: string, rows: readonly Row[]): string {
  const parents = listParents(within);
  const isTop = (row: Row) => listParents(row.within).length === 0;
  const open = rows.filter(isTop).length < FOLDED_LEAST ? parents.slice(1) : parents;
  const isLarge = (parent: string) =>
    rows.filter((row) => listParents(row.within).at(-1) === parent).length >= FOLDED_LEAST;
  return open.findLast(isLarge) ?? "";
}

/** Returns `models[]` and `models[].price` for `models[].price.input`. */
function listParents(within: string): readonly string[] {
  return [...within.matchAll(/\./g)].map(({ index }) => within.slice(0, index));
}

function headOf(field: JsonObject, { default: given }: FieldNote): readonly string[] {
  if (isSection(field)) return [];
  const value = describeValue(field, given);
  return value === "" ? [] : [value];
}

/** The section's heading shows where the field belongs, and in named sections the name does. */
function rowOf(path: string, field: JsonObject, { meaning, default: given }: FieldNote): Row {
  const within = path.replace(/^[a-z_]+\./, "").replace(/^<name>\./, "");
  const value = describeValue(field, given);
  return { within, cells: `| ${meaning}${value === "" ? "" : `<br>${value}`} |` };
}

/** Values that say no more than the field's name and meaning. */
const SELF_EVIDENT =
  /^(a mapping of |a list of )?fields$|^an? (file path|project id|resource name|deployment name)$/;
/** The chapter's introduction has the units. */
const UNITS = / \(ms, s, m, h or d\)/g;

/** Returns the values that the field takes and its default, in italics. */
function describeValue(field: JsonObject, given: unknown): string {
  const type = typeOf(field).replaceAll(UNITS, "").replaceAll("*", "\\*");
  const shown = defaultOf(given);
  const parts = [SELF_EVIDENT.test(type) ? "" : type, shown === "" ? "" : `default: ${shown}`];
  const text = parts.filter(Boolean).join("; ");
  return text === "" ? "" : `*${text}*`;
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
