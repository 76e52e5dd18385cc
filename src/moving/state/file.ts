// A state file: lists of accounts, keys, aliases and tokens, read from a parsed text with every mistake at its place.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type FieldInput, makeNewSchema, makeStateSchema } from "../../admin/fields.ts";
import { readInput } from "../../admin/input.ts";
import { newAliasSchema } from "../../admin/models/aliases.ts";
import { closeObject } from "../../admin/schema.ts";
import { Fault } from "../../core/faults/fault.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import { asObject, asString, isObject } from "../../core/json/json.ts";
import { CONDITIONS_MAX, NAMES_MAX } from "../../core/models/learned/condition.ts";
import { WORD_CHARACTERS_MAX } from "../../core/models/learned/refusal-lesson.ts";
import { formatCount } from "../../core/text/count.ts";
import { suggest } from "../../core/text/nearest.ts";
import type { PlainThing } from "../../core/things/plain.ts";
import { PLAIN_THINGS } from "../../core/things/plain-things.ts";

export type Path = readonly (string | number)[];

/** A mistake at a field, before its place in the text is known. */
export interface StateIssue {
  readonly path: Path;
  /** True if the name of the field is at fault, rather than its value. */
  readonly at: "key" | "value";
  readonly message: string;
}

/** An entry of the file, whose fields fit their schema. */
export interface Entry<Fields = object> {
  readonly path: Path;
  /** Null if it isn't given. Aliases have none. */
  readonly id: string | null;
  readonly name: string;
  /** As the admin routes take them, with the name. */
  readonly fields: Fields;
}

type OwnKind = "account" | "key" | "alias" | "token" | "lesson";
export type Kind = OwnKind | PlainThing["name"];

const SECTIONS: { readonly [Each in OwnKind]: string } = {
  account: "accounts",
  key: "keys",
  alias: "aliases",
  token: "tokens",
  lesson: "lessons",
};
/** The store keeps a list of what each file made. */
const ENTRIES_MAX = 20_000;
const NAME_CHARACTERS_MAX = 100;
const PLACE_CHARACTERS_MAX = 300;

function makeId(prefix: string, others = "") {
  const expected = `an id like ${prefix}_7Hq2, with up to 64 letters and digits after the ${prefix}_`;
  return Type.Optional(Type.String({ pattern: `^(${prefix}_[\\w-]{1,64}${others})$`, expected }));
}

const accountSchema = makeStateSchema(ACCOUNT_FIELDS, { id: makeId("acct", "|default") });
const keySchema = makeStateSchema(KEY_FIELDS, { id: makeId("key") });
const placeSchema = Type.String({ minLength: 1, maxLength: PLACE_CHARACTERS_MAX });
const namesSchema = Type.Array(Type.String({ minLength: 1, maxLength: WORD_CHARACTERS_MAX }), {
  maxItems: NAMES_MAX,
});
const lessonSchema = closeObject({
  model: placeSchema,
  host: placeSchema,
  refuses: Type.String({ minLength: 1, maxLength: WORD_CHARACTERS_MAX }),
  conditions: Type.Optional(
    Type.Array(closeObject({ all: namesSchema, some: Type.Optional(namesSchema) }), {
      maxItems: CONDITIONS_MAX,
    }),
  ),
});
const tokenSchema = makeNewSchema(TOKEN_FIELDS, { id: makeId("tok") });

export type AccountEntry = Entry<Static<typeof accountSchema>>;
export type KeyEntry = Entry<Static<typeof keySchema>>;
export type AliasEntry = Entry<Static<typeof newAliasSchema>>;
export type TokenEntry = Entry<Static<typeof tokenSchema>>;

export type LessonEntry = Entry<Static<typeof lessonSchema>>;

/** An entry of a plain thing. Its name is its first field's value. */
export interface PlainEntry extends Entry<FieldInput<PlainThing["fields"]> & PlainPlace> {
  readonly thing: PlainThing;
}

/** The account is given by its id or name. */
interface PlainPlace {
  readonly id?: string | undefined;
  readonly account_id: string;
}

export interface State {
  /** The name by which the gateway knows what this file made. Null for the file's own. */
  readonly name: string | null;
  readonly accounts: readonly AccountEntry[];
  readonly keys: readonly KeyEntry[];
  readonly aliases: readonly AliasEntry[];
  readonly tokens: readonly TokenEntry[];
  readonly lessons: readonly LessonEntry[];
  readonly things: readonly PlainEntry[];
}

/** Reads a parsed file. With issues, the state lacks their entries. */
export function readStateFile(
  value: unknown,
  things: readonly PlainThing[] = PLAIN_THINGS,
): {
  readonly state: State;
  readonly issues: readonly StateIssue[];
} {
  const issues: StateIssue[] = [];
  const root = isObject(value) ? value : {};
  if (!isObject(value) && value !== null)
    issues.push({
      path: [],
      at: "value",
      message: "expected a mapping of accounts, keys, aliases and tokens",
    });
  const sections = [...Object.values(SECTIONS), ...things.map(({ plural }) => plural)];
  for (const field of Object.keys(root)) {
    if (field === "name" || sections.includes(field)) continue;
    const hint = suggest(field, sections) || `; expected one of ${sections.join(", ")}`;
    issues.push({ path: [field], at: "key", message: `unknown field${hint}` });
  }
  const read = <Schema extends TSchema>(kind: OwnKind, schema: Schema) =>
    readSection({ kind, schema, section: SECTIONS[kind], list: root[SECTIONS[kind]] }, issues);
  const state = {
    name: readFileName(root.name, issues),
    accounts: read("account", accountSchema),
    keys: read("key", keySchema),
    aliases: read("alias", newAliasSchema),
    tokens: read("token", tokenSchema),
    lessons: read("lesson", lessonSchema),
    things: things.flatMap((thing) => readThings(thing, root[thing.plural], issues)),
  };
  return { state, issues };
}

function readFileName(name: unknown, issues: StateIssue[]): string | null {
  if (name === undefined || name === null) return null;
  const text = typeof name === "string" ? name.trim() : "";
  if (text !== "" && text.length <= NAME_CHARACTERS_MAX) return text;
  const message = `expected a name of 1 to ${NAME_CHARACTERS_MAX} characters`;
  issues.push({ path: ["name"], at: "value", message });
  return null;
}

function readThings(thing: PlainThing, list: unknown, issues: StateIssue[]): readonly PlainEntry[] {
  const { name: kind, plural: section, idPrefix, fields } = thing;
  const [title = ""] = Object.keys(fields);
  const schema = makeNewSchema(fields, { id: makeId(idPrefix), account_id: Type.String() });
  return readSection({ kind, schema, section, list }, issues).map((entry) => {
    const { [title]: name } = asObject(entry.fields);
    return { ...entry, thing, name: asString(name)?.trim() ?? "" };
  });
}

interface FileSection<Schema> {
  readonly kind: Kind;
  /** Its name in the file. */
  readonly section: string;
  readonly schema: Schema;
  readonly list: unknown;
}

function readSection<Schema extends TSchema>(
  { kind, schema, section, list }: FileSection<Schema>,
  issues: StateIssue[],
): readonly Entry<Static<Schema>>[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list) || list.length > ENTRIES_MAX) {
    const message = `expected a list of at most ${formatCount(ENTRIES_MAX)}`;
    issues.push({ path: [section], at: "value", message });
    return [];
  }
  return list.flatMap((value: unknown, at) => {
    const path = [section, at];
    try {
      const fields = readInput(schema, value);
      return { path, ...readNames(value), fields };
    } catch (fault) {
      if (isObject(value)) issues.push(describeFault(fault, path));
      else issues.push({ path, at: "value", message: `expected the fields of one ${kind}` });
      return [];
    }
  });
}

/** The admin routes trim names as well. */
function readNames(value: unknown): Pick<Entry, "id" | "name"> {
  const { id, name } = asObject(value);
  return { id: asString(id) ?? null, name: asString(name)?.trim() ?? "" };
}

/** Returns a Fault of an entry's field as a mistake in the file. Rethrows any other error. */
export function describeFault(fault: unknown, path: Path): StateIssue {
  const param = fault instanceof Fault ? (fault.details.param ?? "") : null;
  if (!(fault instanceof Fault) || param === null) throw fault;
  const steps = [...param.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
  const place = [...path, ...steps];
  const field = String(steps.at(-1));
  const { what, known, misspelt } = fault.details.mistake ?? { what: fault.message.replace(/\.$/, "") };
  if (known !== undefined) {
    const hint = suggest(field, known) || `; expected one of ${known.join(", ")}`;
    return { path: place, at: "key", message: `${what}${hint}` };
  }
  if (misspelt !== undefined) {
    const message = `unknown field; did you mean ${field}?`;
    return { path: [...place.slice(0, -1), misspelt], at: "key", message };
  }
  const isMissing = fault.code === "missing_required_parameter";
  return { path: place, at: "value", message: isMissing ? `'${field}' is missing` : what };
}
