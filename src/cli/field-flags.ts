// The flags of the fields that an operator can set: their lines of help, and the request's fields that they give.
import { parseBudget } from "../core/fields/budget-text.ts";
import { parseCacheText } from "../core/fields/cache-text.ts";
import type { Fields, KindName, Wire } from "../core/fields/field.ts";
import { parseModelLimit } from "../core/fields/model-limit-text.ts";
import { parseTags, TAGS_EXPECTED } from "../core/fields/tags-text.ts";
import { type Arguments, type FlagKinds, UsageError } from "./arguments.ts";
import { readExpiry } from "./expiry-words.ts";

const HELP_INDENT = 26;

type Parse<Name extends KindName> = (text: string, flag: string) => Wire<Name> | string;

/** Text that isn't parsed here is checked like the request's own. */
const keep = (text: string): string => text;

const PARSERS: { readonly [Name in KindName]: Parse<Name> } = {
  name: keep,
  text: keep,
  account: keep,
  expiry: (text) => readExpiry(text, Date.now()),
  patterns: splitList,
  tool_patterns: parseTools,
  addresses: splitList,
  usd: (text, flag) => parseNumber(text, `--${flag} must be an amount in USD`),
  count_or_default: parseCountOrDefault,
  usd_or_default: parseCountOrDefault,
  time_zone: keep,
  model_limits: parseModelLimits,
  // No field of this kind has a flag.
  member_defaults: keep,
  budgets: parseBudgets,
  weight: parseCount,
  limit: (text, flag) => (text === "unlimited" ? null : parseCount(text, flag)),
  role: keep,
  accounts: splitList,
  cache: (text) => (text === "default" ? null : parseCacheText(text)),
  tags: (text, flag) => (text === "none" ? null : parseTagsFlag(text, flag)),
  hooks: (text) => (text === "none" ? null : splitList(text)),
  flag: parseYesNo,
};

/** Returns the flags of the fields that have one, as the command's parser takes them. */
export function listFlags(fields: Fields): FlagKinds {
  const flags = Object.values(fields).flatMap(({ flag }) => (flag ? [flag.name] : []));
  return Object.fromEntries(flags.map((name) => [name, "value"] as const));
}

/** Returns the lines of help on the fields' flags. */
export function describeFlags(fields: Fields): string {
  return Object.values(fields)
    .flatMap(({ flag }) =>
      flag ? [`  ${`--${flag.name} ${flag.value}`.padEnd(HELP_INDENT)}${flag.help}`] : [],
    )
    .join("\n");
}

/** Returns a request of the given flags. Throws a UsageError for one that can't be read. */
export function readFlags(fields: Fields, { values }: Pick<Arguments, "values">) {
  const given = Object.entries(fields).flatMap(([name, { kind, flag }]) => {
    const text = flag && values.get(flag.name);
    return flag && text !== undefined ? [[name, PARSERS[kind](text, flag.name)] as const] : [];
  });
  return Object.fromEntries(given);
}

function splitList(text: string): readonly string[] {
  return text.split(",").map((part) => part.trim());
}

function parseTools(text: string): Wire<"tool_patterns"> {
  if (text === "none") return [];
  return text === "default" ? null : splitList(text);
}

function parseCountOrDefault(text: string, flag: string): number | null | "default" {
  if (text === "unlimited") return null;
  if (text === "default") return text;
  return parseNumber(text, `--${flag} must be a number, "unlimited" or "default"`);
}

/** Most budgets are of a month. */
const BARE_AMOUNT = /^\$?\d+(\.\d+)?$/;

function parseBudgets(text: string, flag: string): Wire<"budgets"> {
  if (text === "none") return [];
  if (text === "default") return text;
  return splitList(text).map((one) => {
    const budget = parseBudget(BARE_AMOUNT.test(one) ? `${one}/month` : one);
    if (budget) return budget;
    throw new UsageError(
      `--${flag} must be like 50 (a month), 50/month or 5/day:OpenAI#*, or "none" or "default"`,
    );
  });
}

function parseModelLimits(text: string, flag: string): Wire<"model_limits"> {
  if (text === "none") return [];
  if (text === "default") return text;
  return splitList(text).map((one) => {
    const limit = parseModelLimit(one);
    if (limit) return limit;
    throw new UsageError(`--${flag} must be like "60 requests: OpenAI#gpt-5*", or "none" or "default"`);
  });
}

function parseTagsFlag(text: string, flag: string): Wire<"tags"> {
  const tags = parseTags(text);
  if (tags !== null) return tags;
  throw new UsageError(`--${flag} must be "none" or ${TAGS_EXPECTED}`);
}

function parseCount(text: string, flag: string): number {
  return parseNumber(text, `--${flag} must be a number`);
}

function parseYesNo(text: string, flag: string): boolean {
  if (text === "yes" || text === "no") return text === "yes";
  throw new UsageError(`--${flag} must be yes or no`);
}

function parseNumber(text: string, message: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new UsageError(message);
  return number;
}
