// Makes the admin schemas of an entity from its table of fields, reads what a request sets, and shows what is set.
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
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
import { missingParameter } from "../core/schema-fault.ts";
import { RENDERERS, type Schemas } from "./field-kinds.ts";
import { closeObject } from "./schema.ts";

type Wires = { readonly [Name in KindName]: Wire<Name> };
type Values = { readonly [Name in KindName]: Value<Name> };
type ChangedValues = { readonly [Name in KindName]: Value<Name> | undefined };

interface Defaulted {
  readonly initial: unknown;
}
interface Fixed {
  readonly isFixed: true;
}

/** The fields of a request that creates an entity. */
type NewOf<Table extends FieldsOf<Table>> = {
  readonly [Name in keyof Table as Table[Name] extends Defaulted ? never : Name]: Wire<Table[Name]["kind"]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends Defaulted ? Name : never]?: Wire<Table[Name]["kind"]>;
};

/** The fields of a request that changes one. */
type ChangesOf<Table extends FieldsOf<Table>> = {
  readonly [Name in keyof Table as Table[Name] extends Fixed ? never : Name]?: Wire<Table[Name]["kind"]>;
};

/** Returns the schema of a request that creates an entity. */
export function makeNewSchema<Table extends FieldsOf<Table>>(fields: Table) {
  return Type.Unsafe<NewOf<Table>>(
    closeObject(
      listInputs(fields, (schema, { initial }) => (initial === undefined ? schema : Type.Optional(schema))),
    ),
  );
}

/** Returns the schema of a request that changes some of an entity's fields. */
export function makeChangeSchema<Table extends FieldsOf<Table>>(fields: Table) {
  return Type.Unsafe<ChangesOf<Table>>(
    closeObject(listInputs(fields, (schema, { isFixed }) => (isFixed ? null : Type.Optional(schema)))),
  );
}

function listInputs<Table extends FieldsOf<Table>>(
  fields: Table,
  adapt: (schema: TSchema, field: Field) => TSchema | null,
): TProperties {
  const inputs: TProperties = {};
  for (const name in fields) {
    const input = adapt(makeInput<KindName>(fields[name]), fields[name]);
    if (input !== null) inputs[name] = input;
  }
  return inputs;
}

function makeInput<Name extends KindName>(field: Field<Name>): TSchema {
  return RENDERERS[field.kind].input(field);
}

/** Returns the schemas of the fields in an answer. */
export function makeViewProperties<Table extends FieldsOf<Table>>(fields: Table): ByName<Table, Schemas> {
  return mapFields<Table, Schemas>(fields, ({ kind }) => makeView(kind));
}

function makeView<Name extends KindName>(kind: Name): Schemas[Name] {
  return RENDERERS[kind].view;
}

type Given<Table> = { readonly [Name in keyof Table]?: Wire };

/** Returns a new entity's values. Throws the Fault of the first wrong field. */
export function readNew<Table extends FieldsOf<Table>>(fields: Table, given: Given<Table>, nowMs: number) {
  return mapProperties<Table, Values>(fields, (field, name) => {
    const read = readField<KindName>(field, given[name], name, nowMs);
    const value = read === undefined ? field.initial : read;
    if (value !== undefined) return value;
    throw missingParameter(name);
  });
}

/** Returns the values that a request sets, undefined for the others. Throws like `readNew`. */
export function readChange<Table extends FieldsOf<Table>>(fields: Table, given: Given<Table>, nowMs: number) {
  return mapProperties<Table, ChangedValues>(fields, (field, name) =>
    readField<KindName>(field, given[name], name, nowMs),
  );
}

function readField<Name extends KindName>(
  field: Field<Name>,
  wire: Wire<Name> | undefined,
  name: string,
  nowMs: number,
): Value<Name> | undefined {
  return wire === undefined ? undefined : RENDERERS[field.kind].read(wire, { field, name, nowMs });
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

function formatField<Name extends KindName>(kind: Name, value: Value<Name>): Wire<Name> {
  return RENDERERS[kind].format(value);
}
