// The schemas of each kind of field on the admin routes, its reading from a request and its form in an answer.
import { type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { Field, KindName, Value, Wire, WireMemberDefaults } from "../core/fields/field.ts";
import { areTags, formatTags, readTagsText, TAGS_EXPECTED, type Tags } from "../core/fields/tags-text.ts";
import { invalidValue } from "../core/json/schema-fault.ts";
import { type AliasNames, showModels } from "../core/models/alias-entry.ts";
import type { CacheSetting } from "../core/models/caching.ts";
import { toUsd } from "../core/money/money.ts";
import { ROLES } from "../core/people/people.ts";
import { isTimeZone } from "../core/text/time-zone.ts";
import { isAddressBlock } from "../core/world/address.ts";
import { formatInstantOrNull } from "./format.ts";
import {
  integerSchema,
  momentSchema,
  numberSchema,
  readInstant,
  readLine,
  readList,
  readUsd,
  readVisibleName,
  usdSchema,
} from "./input.ts";
import { cacheSettingSchema, readCacheSetting } from "./keys/cache-setting.ts";
import { budgetView, formatBudgets, makeBudgetSchema, readBudgets } from "./limits/budgets.ts";
import {
  formatMemberDefaults,
  makeMemberDefaultsSchema,
  memberDefaultsView,
  readMemberDefaults,
} from "./limits/member-defaults.ts";
import {
  formatModelLimits,
  makeModelLimitsSchema,
  modelLimitsView,
  readModelLimits,
} from "./limits/model-limits.ts";
import { modelOrAlias, readAllowedModels } from "./models/patterns.ts";
import { toolPattern } from "./models/tool-pattern.ts";
import { allowNull, allowWords, boolean, count, instant, number, text, usd } from "./schema.ts";

interface FieldContext<Name extends KindName> {
  readonly field: Field<Name>;
  /** The field's name on the wire, for the faults. */
  readonly name: string;
  readonly nowMs: number;
  readonly aliasNames: AliasNames;
}

/** The schemas of answers. */
export type Schemas = { readonly [Name in KindName]: TUnsafe<Wire<Name>> };

interface Renderer<Name extends KindName> {
  /** The schema of the field in a request. */
  readonly input: (field: Field<Name>) => TSchema;
  /** The schema of the field in an answer. */
  readonly view: Schemas[Name];
  /** Reads a value that fits the schema. Throws a Fault for what a schema can't describe. */
  readonly read: (wire: Wire<Name>, given: FieldContext<Name>) => Value<Name>;
  readonly format: (value: Value<Name>) => Wire<Name>;
}

const keep = <Same>(same: Same): Same => same;

/** Reads null as itself. */
function orNull<FieldContext, Value, At>(read: (given: FieldContext, at: At) => Value) {
  return (given: FieldContext | null, at: At): Value | null => (given === null ? null : read(given, at));
}

const hookName = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$",
  expected: "the name of a hook",
});

const addressBlock = Type.String({
  pattern: "^[0-9A-Fa-f:.]{2,45}(/\\d{1,3})?$",
  expected: "an IP address or a block like 10.0.0.0/8",
});

export const RENDERERS: { readonly [Name in KindName]: Renderer<Name> } = {
  name: {
    input: ({ charactersMax }) => Type.String({ minLength: 1, maxLength: charactersMax }),
    view: text,
    read: (name, at) => readVisibleName(name, at.name),
    format: keep,
  },
  text: {
    input: ({ charactersMax }) => allowNull(Type.String({ maxLength: charactersMax })),
    view: allowNull(text),
    read: orNull(readText),
    format: keep,
  },
  account: { input: () => text, view: text, read: keep, format: keep },
  expiry: {
    input: () => allowNull(momentSchema),
    view: allowNull(instant),
    read: orNull(readExpiry),
    format: formatInstantOrNull,
  },
  patterns: {
    input: ({ elementsMax }) => allowNull(Type.Array(modelOrAlias, { maxItems: elementsMax })),
    view: allowNull(Type.Array(text)),
    read: orNull((given: readonly string[], { name, aliasNames }: FieldContext<"patterns">) =>
      readAllowedModels(readList(given), name, aliasNames),
    ),
    format: (models) => models && showModels(models),
  },
  tool_patterns: {
    input: ({ elementsMax }) => allowNull(Type.Array(toolPattern, { maxItems: elementsMax })),
    view: allowNull(Type.Array(text)),
    read: orNull((given: readonly string[]) => [...new Set(given)]),
    format: keep,
  },
  addresses: {
    input: ({ elementsMax }) => allowNull(Type.Array(addressBlock, { maxItems: elementsMax })),
    view: allowNull(Type.Array(text)),
    read: orNull(readAddresses),
    format: keep,
  },
  usd: {
    input: () => allowNull(usdSchema),
    view: allowNull(usd),
    read: orNull((amount: number, { name }: FieldContext<"usd">) => readUsd(amount, name)),
    format: (amount) => (amount === null ? null : toUsd(amount)),
  },
  count_or_default: {
    input: ({ max }) =>
      Type.Union([Type.Integer({ minimum: 0, maximum: max }), allowWords(["default"]), Type.Null()], {
        expected: 'an integer, null for no limit, or "default" for the configured number',
      }),
    view: Type.Union([count, allowWords(["default"]), Type.Null()]),
    read: keep,
    format: keep,
  },
  usd_or_default: {
    input: () =>
      Type.Union([usdSchema, allowWords(["default"]), Type.Null()], {
        expected: 'an amount in USD, null for no limit, or "default" for the configured amount',
      }),
    view: Type.Union([usd, allowWords(["default"]), Type.Null()]),
    read: (amount, { name }) => (typeof amount === "number" ? readUsd(amount, name) : amount),
    format: (amount) => (typeof amount === "number" ? toUsd(amount) : amount),
  },
  time_zone: {
    input: () => allowNull(Type.String({ minLength: 1, maxLength: 64 })),
    view: allowNull(text),
    read: orNull(readTimeZone),
    format: keep,
  },
  budgets: {
    input: ({ elementsMax, hasDefault }) => {
      const list = Type.Array(makeBudgetSchema(modelOrAlias), { maxItems: elementsMax });
      return hasDefault ? Type.Union([list, allowWords(["default"]), Type.Null()]) : allowNull(list);
    },
    view: Type.Union([Type.Array(budgetView), allowWords(["default"]), Type.Null()]),
    read: (budgets, { name, aliasNames }) =>
      budgets === "default" ? budgets : readBudgets(budgets ?? [], name, aliasNames),
    format: formatBudgets,
  },
  model_limits: {
    input: ({ elementsMax }) => makeModelLimitsSchema(elementsMax),
    view: modelLimitsView,
    read: (limits, { name, aliasNames }) => readModelLimits(limits, name, aliasNames),
    format: formatModelLimits,
  },
  member_defaults: {
    input: makeMemberDefaultsSchema,
    view: allowNull(memberDefaultsView),
    read: orNull((given: WireMemberDefaults, { name, aliasNames }: FieldContext<"member_defaults">) =>
      readMemberDefaults(given, name, aliasNames),
    ),
    format: (defaults) => (defaults === null ? null : formatMemberDefaults(defaults)),
  },
  weight: {
    input: ({ min, max }) => numberSchema(min, max),
    view: number,
    read: readWeight,
    format: keep,
  },
  limit: {
    input: ({ min, max }) => allowNull(integerSchema(min, max)),
    view: allowNull(count),
    read: keep,
    format: keep,
  },
  role: { input: ({ options }) => allowWords(options), view: allowWords(ROLES), read: keep, format: keep },
  accounts: {
    input: ({ elementsMax }) =>
      allowNull(
        Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: elementsMax }),
      ),
    view: allowNull(Type.Array(text)),
    read: orNull((accounts: readonly string[]) => [...new Set(accounts)]),
    format: keep,
  },
  cache: {
    input: () => allowNull(cacheSettingSchema),
    view: allowNull(cacheSettingSchema),
    read: orNull((given: CacheSetting, { name }: FieldContext<"cache">) => readCacheSetting(given, name)),
    format: keep,
  },
  tags: {
    input: () =>
      allowNull(Type.Record(text, text, { expected: `an object like { "team": "search" }, or null` })),
    view: allowNull(Type.Record(text, text)),
    read: orNull(readTags),
    format: keep,
  },
  hooks: {
    input: ({ elementsMax }) => allowNull(Type.Array(hookName, { maxItems: elementsMax })),
    view: allowNull(Type.Array(text)),
    read: orNull(readList),
    format: keep,
  },
  flag: { input: () => boolean, view: boolean, read: keep, format: keep },
};

function readWeight(value: number, { field: { decimals }, name }: FieldContext<"weight">): number {
  if (decimals === undefined || Number(value.toFixed(decimals)) === value) return value;
  throw invalidValue(name, `expected at most ${decimals} decimals`);
}

function readText(given: string, { field, name }: FieldContext<"text">): string | null {
  readLine(field.isMultiline ? given.replace(/[\t\r\n]/g, " ") : given, name);
  return given.trim() || null;
}

/** Reads a time in the future. To end a key at once, it has to be revoked. */
function readExpiry(moment: string, { name, nowMs }: FieldContext<"expiry">): number {
  const atMs = readInstant(moment, name);
  if (atMs > nowMs) return atMs;
  throw invalidValue(name, "it is in the past");
}

function readTags(tags: Tags, { name }: FieldContext<"tags">): Tags | null {
  if (areTags(tags)) return Object.keys(tags).length > 0 ? readTagsText(formatTags(tags)) : null;
  throw invalidValue(name, `expected ${TAGS_EXPECTED}`);
}

function readTimeZone(zone: string, { name }: FieldContext<"time_zone">): string {
  if (isTimeZone(zone)) return zone;
  throw invalidValue(name, "expected an IANA time zone like UTC or Europe/Berlin");
}

function readAddresses(
  blocks: readonly string[],
  { name }: FieldContext<"addresses">,
): readonly string[] | null {
  const wrong = blocks.findIndex((block) => !isAddressBlock(block));
  if (wrong === -1) return readList(blocks);
  throw invalidValue(`${name}[${wrong}]`, `expected ${addressBlock.expected}`);
}
