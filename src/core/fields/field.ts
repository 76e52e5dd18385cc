// The fields that an operator can set, as rows of plain data: each room renders its part from a field's row and kind.

import { omitUndefined } from "../json/json.ts";
import type { Budget, Period } from "../limits/budget.ts";
import type { MinuteKind } from "../limits/limit.ts";
import type { MemberDefaults } from "../limits/member-limits.ts";
import type { ModelLimit } from "../limits/model-limit.ts";
import type { CacheSetting } from "../models/caching.ts";
import type { NanoUsd } from "../money/money.ts";
import type { Role } from "../people/people.ts";
import type { Tags } from "./tags-text.ts";

interface FieldKind<Value, Wire, Bounds = object> {
  /** In the row that the code works with and the store keeps. */
  readonly value: Value;
  /** As JSON, in requests and answers of the admin routes. */
  readonly wire: Wire;
  /** The properties that the kind's rows have beside those of all rows. */
  readonly bounds: Bounds;
}

type OptionalTexts = readonly string[] | null;
type LimitValue = number | null | "default";

/** A budget on the wire. Fields left out are its defaults: all models, no warnings, hard, nothing extra. */
export interface WireBudget {
  /** Missing only in a change of the extra amount alone. */
  readonly usd?: number;
  readonly per: Period;
  readonly models?: readonly string[] | null;
  readonly warn?: readonly number[];
  readonly hard?: boolean;
  readonly extra_usd?: number | null;
  readonly extra_until?: string | null;
}

/** A limit of a minute that only some models share, on the wire. At least one of both is set. */
export interface WireModelLimit {
  readonly models: readonly string[];
  readonly requests_per_minute?: number | null;
  readonly tokens_per_minute?: number | null;
}

/** The limits that an account gives each of its members, on the wire. Fields left out limit nothing. */
export interface WireMemberDefaults extends Readonly<Partial<Record<MinuteKind, number | null>>> {
  readonly budgets?: readonly WireBudget[] | null;
  readonly allowed_models?: OptionalTexts;
  readonly allowed_tools?: OptionalTexts;
  readonly keys?: number | null;
}

/** A kind has exactly one renderer in each room, so a field that a room can't render doesn't compile. */
interface Kinds {
  /** A display name of one line, never empty. */
  readonly name: FieldKind<string, string, { readonly charactersMax: number }>;
  /** Null if it is empty. Only spaces count as empty too. */
  readonly text: FieldKind<
    string | null,
    string | null,
    { readonly charactersMax: number; readonly isMultiline?: true }
  >;
  /** The id of the account that pays. */
  readonly account: FieldKind<string, string>;
  /** A time, in the future when it is set. Null for never. */
  readonly expiry: FieldKind<number | null, string | null>;
  /** Models and selectors, or patterns of them. Null for all. */
  readonly patterns: FieldKind<OptionalTexts, OptionalTexts, { readonly elementsMax: number }>;
  /** Tools of tool servers, patterns of them, and with `!` before them those that are taken away. An empty list is no tool. */
  readonly tool_patterns: FieldKind<
    OptionalTexts,
    OptionalTexts,
    { readonly elementsMax: number; readonly defaultLabel: string }
  >;
  /** IP addresses and blocks of them. Null for all. */
  readonly addresses: FieldKind<OptionalTexts, OptionalTexts, { readonly elementsMax: number }>;
  /** Null for no limit. */
  readonly usd: FieldKind<NanoUsd | null, number | null>;
  /** Null for no limit, "default" for the configured one. */
  readonly count_or_default: FieldKind<
    LimitValue,
    LimitValue,
    { readonly max: number; readonly countLabel: string }
  >;
  /** The same for an amount of money. */
  readonly usd_or_default: FieldKind<
    NanoUsd | null | "default",
    LimitValue,
    { readonly amountLabel: string }
  >;
  /** An IANA time zone. Null for the configured one. */
  readonly time_zone: FieldKind<string | null, string | null>;
  /** Null is no budget. "default", for the configured ones, only where a row has them. */
  readonly budgets: FieldKind<
    readonly Budget[] | "default",
    readonly WireBudget[] | null | "default",
    { readonly elementsMax: number; readonly hasDefault: boolean }
  >;
  /** Null is none, "default" the configured ones. */
  readonly model_limits: FieldKind<
    readonly ModelLimit[] | "default",
    readonly WireModelLimit[] | null | "default",
    { readonly elementsMax: number }
  >;
  /** Null for no limits. */
  readonly member_defaults: FieldKind<
    MemberDefaults | null,
    WireMemberDefaults | null,
    {
      readonly budgetsMax: number;
      readonly modelsMax: number;
      readonly toolsMax: number;
      readonly keysMax: number;
    }
  >;
  /** A factor, such as a share of the load relative to others'. `decimals` are the most it may have; missing for any. */
  readonly weight: FieldKind<
    number,
    number,
    { readonly min: number; readonly max: number; readonly decimals?: number }
  >;
  /** Null for none. */
  readonly limit: FieldKind<number | null, number | null, { readonly min: number; readonly max: number }>;
  readonly role: FieldKind<Role, Role, { readonly options: readonly Role[] }>;
  /** Names or ids of accounts. Null for all. */
  readonly accounts: FieldKind<OptionalTexts, OptionalTexts, { readonly elementsMax: number }>;
  /** For how long answers are kept for the same request. Null for the configured time. */
  readonly cache: FieldKind<CacheSetting | null, CacheSetting | null>;
  /** Null for none. */
  readonly tags: FieldKind<Tags | null, Tags | null>;
  /** Names of hooks. Null for none. */
  readonly hooks: FieldKind<OptionalTexts, OptionalTexts, { readonly elementsMax: number }>;
  readonly flag: FieldKind<
    boolean,
    boolean,
    { readonly options?: { readonly yes: string; readonly no: string } }
  >;
}

export type KindName = keyof Kinds;
export type Value<Name extends KindName = KindName> = Kinds[Name]["value"];
export type Wire<Name extends KindName = KindName> = Kinds[Name]["wire"];

/** The flag with which a command sets a field. */
interface Flag {
  readonly name: string;
  /** Stands for the value in the help. */
  readonly value: string;
  readonly help: string;
}

/** The words of the control with which the console's form sets a field. */
export interface ControlWords {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
}

/** A field of this kind. */
export type Field<Name extends KindName = KindName> = {
  readonly [Each in Name]: Kinds[Each]["bounds"] & {
    readonly kind: Each;
    /** The name in the row that the code works with. */
    readonly property: string;
    /** The name in the store, if it isn't the property's in snake case. */
    readonly column?: string;
    /** The value if it isn't given at creation. Missing if it must be. */
    readonly initial?: Kinds[Each]["value"];
    /** The lowest role that sets it. Missing if every role that may change the entity sets it. */
    readonly role?: Role;
    /** The only request that sets it. Missing if both do. */
    readonly only?: "creation" | "change";
    /** The field's meaning, for the manual's table. */
    readonly manual: string;
    readonly flag?: Flag;
    readonly control?: ControlWords;
  };
}[Name];

/** An entity's fields by the name that they have on the wire. */
export type Fields = Readonly<Record<string, Field>>;
/** As a bound on a type parameter, it keeps what each row says. */
export type FieldsOf<Table> = { readonly [Name in keyof Table]: Field };
export type Property<Table extends FieldsOf<Table>> = Table[keyof Table]["property"];

/** Something for each field of an entity, under the field's name. `ByKind` says what it is for a field of each kind. */
export type ByName<Table extends FieldsOf<Table>, ByKind extends Record<KindName, unknown>> = {
  readonly [Name in keyof Table]: ByKind[Table[Name]["kind"]];
};

/** The same under the field's property. */
type ByProperty<Table extends FieldsOf<Table>, ByKind extends Record<KindName, unknown>> = {
  readonly [Name in keyof Table as Table[Name]["property"]]: ByKind[Table[Name]["kind"]];
};

type ValueByKind = { readonly [Name in KindName]: Value<Name> };

/** The fields' values in the row that the code works with. */
export type ValuesOf<Table extends FieldsOf<Table>> = ByProperty<Table, ValueByKind>;

/** The values of the fields that need not be given at creation. */
type InitialsOf<Table extends FieldsOf<Table>> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly initial: unknown }
    ? Table[Name]["property"]
    : never]: Value<Table[Name]["kind"]>;
};

/** The values that a change sets. Undefined fields are left as they are. */
export type ChangeOf<Table extends FieldsOf<Table>> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly only: "creation" }
    ? never
    : Table[Name]["property"]]?: Value<Table[Name]["kind"]> | undefined;
};

/** Makes something of each field. */
export function mapFields<Table extends FieldsOf<Table>, ByKind extends Record<KindName, unknown>>(
  fields: Table,
  make: (field: Field, name: keyof Table & string) => ByKind[KindName],
): ByName<Table, ByKind> {
  const made: Partial<Record<keyof Table, ByKind[KindName]>> = {};
  for (const name in fields) made[name] = make(fields[name], name);
  // The cast is safe: something has been made of every field, and what it is follows from the field's kind.
  return made as ByName<Table, ByKind>;
}

/** The same, under the fields' properties. */
export function mapProperties<Table extends FieldsOf<Table>, ByKind extends Record<KindName, unknown>>(
  fields: Table,
  make: (field: Field, name: keyof Table & string) => ByKind[KindName],
): ByProperty<Table, ByKind> {
  const made: Record<string, ByKind[KindName]> = {};
  for (const name in fields) made[fields[name].property] = make(fields[name], name);
  // The cast is safe for the same reason.
  return made as ByProperty<Table, ByKind>;
}

/** Returns the initial values of the fields that need not be given. */
export function listInitials<Table extends FieldsOf<Table>>(fields: Table): InitialsOf<Table> {
  const initials: Record<string, Value> = {};
  for (const name in fields) {
    const { property, initial } = fields[name];
    if (initial !== undefined) initials[property] = initial;
  }
  // The cast is safe: the type has the same fields, by the same condition.
  return initials as InitialsOf<Table>;
}

/** Returns the row with what a change sets. */
export function applyChange<Row extends object>(row: Row, change: Partial<Row>): Row {
  return { ...row, ...omitUndefined(change) };
}
