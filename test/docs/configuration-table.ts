// The manual's tables of configuration fields, generated from the schema and the notes on its fields.
import { FIELDS, type FieldNote, findNote, visitFields } from "../../src/config/fields.ts";
import { ConfigSchema } from "../../src/config/schema.ts";
import { isObject, type JsonObject } from "../../src/core/json/json.ts";
import { describeDefault, describeValue, isSection } from "./configuration-values.ts";

/** A field within its section: in `providers`, `timeouts.idle`. */
interface Row {
  readonly within: string;
  readonly value: string;
  readonly default: string;
  readonly meaning: string;
}

interface Section {
  readonly name: string;
  readonly intro: readonly string[];
  readonly rows: Row[];
}

/** Fields of a section that have a chapter apart from it, which their number needs. */
const APART = { section: "providers", beginning: "models[].", name: "providers.models" };

/** Groups of fields with as many are folded, unless the section has fewer others. */
const FOLDED_LEAST = 3;
/** A section with more fields is folded as a whole. */
const SHOWN_MAX = 6;

/** Each section of the file by its name: a heading, and a row for each of its fields, those of larger groups in a folded table. */
export function configurationTables(): ReadonlyMap<string, string> {
  return new Map(listSections().map((section) => [section.name, renderSection(section)]));
}

function listSections(): readonly Section[] {
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
        intro: [`## ${path}`, "", note.meaning, "", ...headOf(field, note)],
        rows: [],
      });
  }
  return sections.flatMap((section) => (section.name === APART.section ? takeApart(section) : [section]));
}

function takeApart({ name, intro, rows }: Section): readonly Section[] {
  const isApart = ({ within }: Row) => within.startsWith(APART.beginning);
  return [
    { name, intro, rows: rows.filter((row) => !isApart(row)) },
    { name: APART.name, intro: [`## ${APART.name}`, ""], rows: rows.filter(isApart) },
  ];
}

function renderSection({ name, intro, rows }: Section): string {
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
  ]
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Leaves out the columns in which no field of the table has anything. */
function renderTable(rows: readonly Row[]): readonly string[] {
  const columns = (["value", "default"] as const).filter((column) => rows.some((row) => row[column] !== ""));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(["field", ...columns, "meaning"]),
    `|${"---|".repeat(columns.length + 2)}`,
    ...rows.map((row) => line([`\`${row.within}\``, ...columns.map((column) => row[column]), row.meaning])),
  ];
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
  return rows.some((row) => row.within === top && /^(Azure|Bedrock|Vertex): /.test(row.meaning));
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

/** A section that is a single value says in a line which it takes. */
function headOf(field: JsonObject, { default: given }: FieldNote): readonly string[] {
  if (isSection(field) || (isObject(field.items) && isSection(field.items))) return [];
  const [value, shown] = [describeValue(field), describeDefault(given)];
  const parts = [value, shown === "" ? "" : `default: ${shown}`].filter(Boolean);
  return parts.length === 0 ? [] : [`*${parts.join("; ")}*`];
}

/** The section's heading shows where the field belongs, and in named sections the name does. */
function rowOf(path: string, field: JsonObject, { meaning, default: given }: FieldNote): Row {
  return {
    within: path.replace(/^[a-z_]+\./, "").replace(/^<name>\./, ""),
    value: describeValue(field),
    default: describeDefault(given),
    meaning,
  };
}
