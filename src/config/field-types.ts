// The types of configuration fields: TypeBox schemas with their bounds and a description of the expected value.

import { Kind, type TProperties, type TSchema, type TUnsafe, Type, TypeRegistry } from "@sinclair/typebox";
import { parseDay } from "../catalogue/later-prices.ts";
import { DURATION, parseDuration } from "../core/text/duration.ts";
import { isTimeZone } from "../core/text/time-zone.ts";
import {
  CLOCK,
  isHost,
  isOrigin,
  isPeerBlock,
  isStoreUrl,
  parseBaseUrl,
  parseClock,
  parsePercentile,
  parseShare,
  parseSize,
  SIZE,
} from "./units.ts";

interface CheckedSchema extends TSchema {
  readonly check: (value: unknown) => boolean;
}

const CHECKED = "ConfigurationField";
TypeRegistry.Set<CheckedSchema>(CHECKED, (schema, value) => schema.check(value));

/** A string or number with a check that JSON Schema can't express. `rules` is the part that it can. */
function checked<T>(expected: string, check: (value: T) => boolean, rules: object): TUnsafe<T> {
  return Type.Unsafe<T>({
    [Kind]: CHECKED,
    type: "string",
    ...rules,
    expected,
    check: guarded(check, rules),
  });
}

/** Runs the check only for values of the schema's own types. */
function guarded<T>(check: (value: T) => boolean, rules: { type?: string | readonly string[] }) {
  const types = [rules.type ?? "string"].flat();
  const isOurs = (value: unknown): value is T =>
    types.includes(typeof value === "number" ? "number" : typeof value);
  return (value: unknown) => isOurs(value) && check(value);
}

function within(value: number | null, least: number, most: number): boolean {
  return value !== null && value >= least && value <= most;
}

export function text(expected: string, pattern: RegExp) {
  return matching(expected, (value) => pattern.test(value), pattern);
}

/** A text with a check that is stricter than the pattern, which an editor shows. */
function matching(expected: string, check: (value: string) => boolean, pattern: RegExp) {
  return checked(expected, check, { pattern: pattern.source });
}

export function choice<const T extends string>(values: readonly T[]) {
  const names = values.map((value) => `"${value}"`);
  const expected = names.length > 2 ? `one of ${names.join(", ")}` : names.join(" or ");
  return checked<T>(expected, (value) => values.includes(value), { enum: values });
}

/** A duration from `least` to `most`, which are durations too. */
export function duration(least: string, most: string) {
  const bounds = [parseDuration(least) ?? 0, parseDuration(most) ?? 0] as const;
  return checked<string>(
    `a duration like 5s (ms, s, m, h or d), from ${least} to ${most}`,
    (value) => within(parseDuration(value), ...bounds),
    { pattern: DURATION.source },
  );
}

export function size(least: string, most: string) {
  const bounds = [parseSize(least) ?? 0, parseSize(most) ?? 0] as const;
  return checked<string | number>(
    `a size like 32MB or 1GiB, from ${least} to ${most}`,
    (value) => within(parseSize(value), ...bounds),
    { type: ["string", "number"], pattern: SIZE.source, minimum: bounds[0], maximum: bounds[1] },
  );
}

export function integer(least: number, most: number) {
  return Type.Integer({
    minimum: least,
    maximum: most,
    expected: `an integer from ${least} to ${most}`,
  });
}

export function number(least: number, most: number) {
  return Type.Number({ minimum: least, maximum: most, expected: `a number from ${least} to ${most}` });
}

/** A number with a check that JSON Schema can't express. */
export function checkedNumber(expected: string, check: (value: number) => boolean) {
  return checked<number>(expected, check, { type: "number" });
}

const PERCENTAGE = "^(100(\\.0+)?|0?\\d{1,2}(\\.\\d{1,4})?)%$";
export const share = shareUpTo(1);

/** A share of at most this, a fraction. */
export function shareUpTo(most: number) {
  return checked<string | number>(
    `a percentage like 2%, or a fraction from 0 to ${most}`,
    (value) => within(parseShare(value), 0, most),
    { type: ["string", "number"], pattern: PERCENTAGE, minimum: 0, maximum: most },
  );
}
export const clock = matching('a time of day like "00:00"', (value) => parseClock(value) !== null, CLOCK);
export const day = checked<string>("a date like 2027-01-31", (value) => parseDay(value) !== null, {
  format: "date",
});
export const timeZone = checked<string>("an IANA time zone like UTC or Europe/Berlin", isTimeZone, {});
export const hedgeDelay = matching(
  "a percentile like p95 or a duration like 2s",
  (value) => parsePercentile(value) !== null || within(parseDuration(value), 1, 600_000),
  new RegExp(`^p[1-9]\\d?$|${DURATION.source}`),
);
export const baseUrl = matching(
  "an http or https URL without credentials, query or fragment",
  (value) => parseBaseUrl(value) !== null,
  /^[Hh][Tt][Tt][Pp][Ss]?:(?!\/*[^/]*@)[^?#\s\\]+$/,
);
export const origin = matching(
  'an origin like https://app.example.com, or "*"',
  isOrigin,
  /^(\*|https?:\/\/[^/?#\s@]+)$/,
);
export const publicUrl = matching(
  "an address like https://gateway.example.com, without query or fragment",
  (value) => parseBaseUrl(value) !== null,
  /^https?:\/\/[^?#\s@]+$/,
);
/** The gateway's own paths, below which nothing else can begin. */
const OWN_PATH =
  /^\/(v1|v1beta|admin|auth|console|device|docs|llms\.txt|llms-full\.txt|mcp|openapi\.json|config\.schema\.json|oauth|metrics|healthz|readyz|\.well-known)(\/|$)/;
const BASE_PATH = /^(\/[A-Za-z0-9][A-Za-z0-9._~-]{0,63}){1,8}$/;
export const basePath = matching(
  "a path like /llm without a slash at its end, which isn't one of the gateway's own",
  (value) => BASE_PATH.test(value) && !OWN_PATH.test(value),
  BASE_PATH,
);
const BLOCK = /^[0-9A-Fa-f:.]+(%[^\s/]+)?(\/\d{1,3})?$/;
export const addressBlock = matching("an IP address or a block like 10.0.0.0/8", isPeerBlock, BLOCK);
const STORE = /^(sqlite:|postgres(ql)?:\/\/)\S/;
export const storeUrl = matching("sqlite:PATH or postgres://…", isStoreUrl, STORE);
const HOST = /^[A-Za-z0-9.-]+$|^[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(%.+)?$/;
export const host = matching("an IP address or a host name", isHost, HOST);

/** A section that has these fields and no others. */
export function section<T extends TProperties>(fields: T, description: string) {
  return Type.Object(fields, { additionalProperties: false, description, expected: "a mapping of fields" });
}

/** Names that other programs' files have for a field of this section, each with what to write here. */
export function explainOthers<T extends TSchema>(schema: T, others: Readonly<Record<string, string>>): T {
  return { ...schema, others };
}

/** As `section`, and each field may be left out. */
export function options<T extends TProperties>(fields: T, description: string) {
  return section(Type.Partial(Type.Object(fields)).properties, description);
}

export function orNull<T extends TSchema>(value: T, expected: string) {
  return Type.Union([value, Type.Null()], { expected });
}

/** A mapping whose keys are names that the operator chooses. */
export function record<T extends TSchema>(
  names: RegExp,
  expectedName: string,
  value: T,
  description: string,
) {
  return Type.Record(Type.String({ pattern: names.source }), value, {
    additionalProperties: false,
    description,
    expected: "a mapping by name",
    expectedName,
  });
}

export const filePath = text("a file path", /^[^\0]{1,4096}$/);

/** Most lists hold this many at most. */
export const LIST_MAX = 1000;

export const list = <Item extends TSchema>(item: Item) => Type.Array(item, { maxItems: LIST_MAX });
