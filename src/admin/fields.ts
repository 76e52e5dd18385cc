// Makes the admin schemas of an entity from its table of fields, reads what a request sets, and shows what is set.
import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import {
  type ByName,
  type Field,
  type FieldsOf,
  type KindName,
  mapFields,
  mapProperties,
  type Property,
  type Value,
  type Wire,
} from "../core/fields/field.ts";
import { missingParameter } from "../core/json/schema-fault.ts";
import { type AliasNames, NO_ALIASES } from "../core/models/alias-entry.ts";
import { RENDERERS, type Schemas } from "./field-kinds.ts";
import { closeObject } from "./schema.ts";

type StaticObject<Own extends TProperties> = Static<TObject<Own>>;
type Wires = { readonly [Name in KindName]: Wire<Name> };
type FieldValueByKind = { readonly [Name in KindName]: Value<Name> };
type ChangedValues = { readonly [Name in KindName]: Value<Name> | undefined };

interface DefaultedField {
  readonly initial: unknown;
}

/** Fields that only a change sets, and those that only the creation does. */
interface ChangeOnly {
  readonly only: "change";
}
interface FixedField {
  readonly only: "creation";
}

/** The time of reading a request, and the names that it may use. */
export interface Reading {
  readonly nowMs: number;
  /** The aliases that lists of models may name. Missing for none. */
  readonly aliasNames?: AliasNames;
}

/** The fields of a request that creates an entity. */
type NewOf<Table extends FieldsOf<Table>> = {
  readonly [Name in keyof Table as Table[Name] extends DefaultedField ? never : Name]: Wire<
    Table[Name]["kind"]
  >;
} & {
  readonly [Name in keyof Table as Table[Name] extends ChangeOnly
    ? never
    : Table[Name] extends DefaultedField
      ? Name
      : never]?: Wire<Table[Name]["kind"]>;
};

/** The fields of a request that changes one. */
type ChangesOf<Table extends FieldsOf<Table>> = {
  readonly [Name in keyof Table as Table[Name] extends FixedField ? never : Name]?: Wire<Table[Name]["kind"]>;
};

/** Returns the schema of a request that creates an entity, with the request's own fields before the entity's. */
export function makeNewSchema<Table extends FieldsOf<Table>, Own extends TProperties = Record<never, never>>(
  fields: Table,
  own?: Own,
) {
  const inputs = listInputs(fields, "change", ({ initial }) => initial === undefined);
  return Type.Unsafe<NewOf<Table> & StaticObject<Own>>(closeObject({ ...own, ...inputs }));
}

/** Returns the schema of a request that changes some of an entity's fields. */
export function makeChangeSchema<
  Table extends FieldsOf<Table>,
  Own extends TProperties = Record<never, never>,
>(fields: Table, own?: Own) {
  const inputs = listInputs(fields, "creation", () => false);
  return Type.Unsafe<ChangesOf<Table> & StaticObject<Own>>(closeObject({ ...own, ...inputs }));
}

/**
 * Returns the schema of an entity's whole state, with the entry's own fields first. Only names must be given; what isn't
 * has its initial value.
 */
export function makeStateSchema<
  Table extends FieldsOf<Table>,
  Own extends TProperties = Record<never, never>,
>(fields: Table, own?: Own) {
  const inputs = listInputs(fields, null, ({ kind }) => kind === "name");
  return Type.Unsafe<FieldInput<Table> & StaticObject<Own>>(closeObject({ ...own, ...inputs }));
}

function listInputs<Table extends FieldsOf<Table>>(
  fields: Table,
  left: Field["only"] | null,
  isRequired: (field: Field) => boolean,
): TProperties {
  const inputs: TProperties = {};
  for (const name in fields) {
    const field = fields[name];
    const input = makeInput<KindName>(field);
    if (field.only !== left) inputs[name] = isRequired(field) ? input : Type.Optional(input);
  }
  return inputs;
}

function makeInput<Name extends KindName>(field: Field<Name>): TSchema {
  return { ...RENDERERS[field.kind].input(field), description: writePlain(field.manual) };
}

/** Returns the schemas of the fields in an answer. */
export function makeViewProperties<Table extends FieldsOf<Table>>(fields: Table): ByName<Table, Schemas> {
  return mapFields<Table, Schemas>(fields, (field) => makeView<KindName>(field));
}

function makeView<Name extends KindName>({ kind, manual }: Field<Name>): Schemas[Name] {
  return { ...RENDERERS[kind].view, description: writePlain(manual) };
}

/** Returns a sentence of the manual without its links, which lead nowhere elsewhere. */
function writePlain(manual: string): string {
  const plain = manual.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}

/** Some fields of an entity, as a request gives them. */
export type FieldInput<Table> = { readonly [Name in keyof Table]?: Wire };

/** Returns a new entity's values. Throws the Fault of the first wrong field. */
export function readNew<Table extends FieldsOf<Table>>(fields: Table, given: FieldInput<Table>, at: Reading) {
  return mapProperties<Table, FieldValueByKind>(fields, (field, name) => {
    const read = readField<KindName>(field, given[name], name, at);
    const value = read === undefined ? field.initial : read;
    if (value !== undefined) return value;
    throw missingParameter(name);
  });
}

/**
 * Returns the values of an entity that is brought to what is given. A value that it has already stays without another
 * check: an expiry may have passed since. Throws like `readNew`.
 */
export function readState<Table extends FieldsOf<Table>>(
  fields: Table,
  given: FieldInput<Table>,
  before: Readonly<Record<Property<Table>, Value>>,
  at: Reading,
) {
  return mapProperties<Table, FieldValueByKind>(fields, (field, name) => {
    const property: Property<Table> = field.property;
    const has = before[property];
    if (isSame(formatField(field.kind, has), given[name], field.kind)) return has;
    const read = readField<KindName>(field, given[name], name, at);
    const value = read === undefined ? field.initial : read;
    if (value !== undefined) return value;
    throw missingParameter(name);
  });
}

function isSame(shown: Wire, given: Wire | undefined, kind: KindName): boolean {
  const isMoment = kind === "expiry" && typeof shown === "string" && typeof given === "string";
  if (isMoment) return Date.parse(shown) === Date.parse(given);
  return JSON.stringify(shown) === JSON.stringify(given);
}

/** Returns the values that a request sets, undefined for the others. Throws like `readNew`. */
export function readChange<Table extends FieldsOf<Table>>(
  fields: Table,
  given: FieldInput<Table>,
  at: Reading,
) {
  return mapProperties<Table, ChangedValues>(fields, (field, name) =>
    readField<KindName>(field, given[name], name, at),
  );
}

function readField<Name extends KindName>(
  field: Field<Name>,
  wire: Wire<Name> | undefined,
  name: string,
  { nowMs, aliasNames = NO_ALIASES }: Reading,
): Value<Name> | undefined {
  return wire === undefined
    ? undefined
    : RENDERERS[field.kind].read(wire, { field, name, nowMs, aliasNames });
}

/** Returns the fields as an answer shows them. */
export function viewFields<Table extends FieldsOf<Table>>(
  fields: Table,
  row: Readonly<Record<Property<Table>, Value>>,
): ByName<Table, Wires> {
  return mapFields<Table, Wires>(fields, (field) => {
    const property: Property<Table> = field.property;
    return formatField(field.kind, row[property]);
  });
}

/** The same, without those that have their initial value. */
export function viewChosen<Table extends FieldsOf<Table>>(
  fields: Table,
  row: Readonly<Record<Property<Table>, Value>>,
): Readonly<Record<string, Wire>> {
  const shown: Record<string, Wire> = {};
  for (const name in fields) {
    const { kind, initial } = fields[name];
    const property: Property<Table> = fields[name].property;
    const value = formatField<KindName>(kind, row[property]);
    const isInitial = initial !== undefined && isSame(value, formatField<KindName>(kind, initial), kind);
    if (!isInitial) shown[name] = value;
  }
  return shown;
}

function formatField<Name extends KindName>(kind: Name, value: Value<Name>): Wire<Name> {
  return RENDERERS[kind].format(value);
}
