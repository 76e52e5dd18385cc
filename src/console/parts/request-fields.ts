// The fields of a request, read from its route's schema in the OpenAPI document, and their values as typed and as sent.

/** A schema of OpenAPI 3.0, as far as forms need it. */
interface FieldSchema extends Partial<Record<"type" | "format" | "description", string>> {
  readonly enum?: readonly (string | null)[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: Partial<Record<"requestBody", Body>> }>>;
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: FieldSchema }>>;
}

type ControlKind = "text" | "number" | "choice" | "switch" | "lines" | "file";

export interface FormField extends Pick<FieldSchema, "minimum" | "maximum"> {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly kind: ControlKind;
  readonly isWhole: boolean;
  readonly isRequired: boolean;
  /** A choice's values. */
  readonly options: readonly string[];
}

/** By field name. Texts as typed, and what was edited as JSON. */
export type Values = Readonly<Record<string, unknown>>;

/** The page chooses the model, and shows an answer once it is complete. */
const ELSEWHERE = ["model", "stream"];

/** Returns the fields of a route's form, or of its JSON if it has none. `lists` may be texts, but are taken as lists. */
export function listFields({ paths }: OpenApi, path: string, lists: readonly string[]): readonly FormField[] {
  const content = paths[path]?.post?.requestBody?.content ?? {};
  const { properties = {}, required = [] } = (Object.values(content).at(-1) ?? { schema: {} }).schema;
  return Object.entries(properties).flatMap(([name, schema]) => {
    const found = findForm(schema, lists.includes(name));
    if (found === null || ELSEWHERE.includes(name)) return [];
    const { kind, schema: own } = found;
    const options = own.enum?.filter((one) => one !== null) ?? [];
    const { minimum, maximum, type } = own;
    const hint = schema.description ?? (kind === "lines" ? "One per line" : undefined);
    const about = { name, label: toLabel(name), hint, kind, minimum, maximum, options };
    return [{ ...about, isWhole: type === "integer", isRequired: required.includes(name) }];
  });
}

/** Returns the first alternative that has a form, or null. */
function findForm(
  schema: FieldSchema,
  isList: boolean,
): { readonly kind: ControlKind; readonly schema: FieldSchema } | null {
  const kinds = (schema.anyOf ?? [schema]).flatMap((one) => {
    const kind = findKind(one);
    return kind === null ? [] : [{ kind, schema: one }];
  });
  return kinds.find(({ kind }) => !isList || kind === "lines") ?? null;
}

function findKind({ type, format, enum: options, items }: FieldSchema): ControlKind | null {
  if (type === "string") return format === "binary" ? "file" : options ? "choice" : "text";
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean") return "switch";
  return type === "array" && items && findForm(items, false)?.kind === "text" ? "lines" : null;
}

/** Returns `max_tokens` as "Max tokens". */
function toLabel(name: string): string {
  const words = name === "n" ? "number" : name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the values as they are sent. Empty ones are left out, and files that the route doesn't take. */
export function toRequest(fields: readonly FormField[], values: Values): Values {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const field = fields.find((one) => one.name === name);
    const isEmpty = value === "" || (field?.kind === "file" && value === null);
    if (isEmpty || (!field && value instanceof File)) return [];
    return [[name, field && typeof value === "string" ? parseTyped(field, value) : value]];
  });
  return Object.fromEntries(entries);
}

function parseTyped({ kind }: FormField, typed: string): unknown {
  if (kind === "lines") return typed.split("\n").filter((line) => line.trim() !== "");
  if (kind === "switch") return typed === "true";
  return kind === "number" ? Number(typed) : typed;
}

/** Returns the reason why a field can't be sent as it is, or null. */
export function findError({ kind, isWhole, minimum, maximum }: FormField, value: unknown): string | null {
  if (kind !== "number" || value === undefined || value === "") return null;
  const least = minimum ?? Number.NEGATIVE_INFINITY;
  const most = maximum ?? Number.POSITIVE_INFINITY;
  const number = Number(value);
  if (number >= least && number <= most && (!isWhole || Number.isInteger(number))) return null;
  const range = most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : ` from ${least}`;
  return `Takes a ${isWhole ? "whole number" : "number"}${Number.isFinite(least) ? range : ""}.`;
}

export function isMissing({ isRequired, name }: FormField, request: Values): boolean {
  const value = request[name];
  const isEmpty = Array.isArray(value) ? value.length === 0 : typeof value === "string" && !value.trim();
  return isRequired && (value === undefined || isEmpty);
}
