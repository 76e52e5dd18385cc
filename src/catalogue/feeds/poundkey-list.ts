// A list of models in our own form: numbered, of one day, and newer than the program where it has to be.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import {
  CAPABILITIES,
  MODEL_KINDS,
  type ModelCard,
  OPERATIONS,
  SERVICE_TIERS,
} from "../../core/models/card.ts";
import { DIALECTS } from "../../core/models/dialect-names.ts";
import { DAYS } from "../hours.ts";
import { formatDay, parseDay } from "../later-prices.ts";
import { UNIT_FIELDS } from "../price.ts";
import { RATE_FIELDS } from "../rates.ts";
import { buildCards } from "../rows.ts";
import { FeedError } from "./feed.ts";

/** The form that this program writes, and the only one that it reads. */
export const POUNDKEY_LIST_VERSION = 1;
const ROWS_MAX = 50_000;
const AHEAD_MS = 2 * 86_400_000;

/** The facts that a list states of itself. */
export interface ListHead {
  readonly serial: number;
  readonly asOf: string;
  readonly source: string | null;
}

export interface PoundkeyList extends ListHead {
  readonly rows: readonly PoundkeyListRow[];
  /** Rows with something that this program doesn't know, so that their prices would be wrong. */
  readonly leftOut: number;
}

interface PoundkeyListRow {
  readonly card: ModelCard;
  /** The day of the row, else of the list. */
  readonly asOf: string;
}

/** True for the numbered form. Older ones, a bare list and one with its day, are read as a catalogue file is. */
export function isPoundkeyList(value: unknown): value is JsonObject {
  return isObject(value) && Object.hasOwn(value, "poundkey_catalogue");
}

/** Throws a FeedError that says why the whole list is refused. */
export function readPoundkeyList(value: JsonObject, nowMs: number): PoundkeyList {
  if (value.poundkey_catalogue !== POUNDKEY_LIST_VERSION)
    throw new FeedError("it needs a newer program: its form isn't poundkey_catalogue 1");
  const head = readHead(value, nowMs);
  const { models } = value;
  if (!Array.isArray(models) || models.length === 0) throw new FeedError("models is no list of models");
  if (models.length > ROWS_MAX) throw new FeedError(`it has more than ${ROWS_MAX} models`);
  const given = models.map(checkRow);
  const known = given.filter((row) => !hasUnknown(row));
  const cards = build(known);
  const rows = cards.map((card, at) => ({ card, asOf: readDay(known[at]?.as_of) ?? head.asOf }));
  return { ...head, rows, leftOut: given.length - known.length };
}

/** A text that people see is short and has no control or bidi characters. */
const SHOWN = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

function readHead({ serial, as_of, source = null }: JsonObject, nowMs: number): ListHead {
  if (typeof serial !== "number" || !Number.isSafeInteger(serial) || serial < 1)
    throw new FeedError("serial is no number from 1 to 2^53 - 1");
  const asOf = readDay(as_of);
  if (asOf === null) throw new FeedError("as_of is no day like 2026-11-28");
  if ((parseDay(asOf) ?? 0) > nowMs + AHEAD_MS)
    throw new FeedError(`as_of is ${asOf}, more than two days after today, ${formatDay(nowMs)}`, "value");
  if (source !== null && (typeof source !== "string" || !SHOWN.test(source)))
    throw new FeedError("source is no text of 1 to 200 characters");
  return { serial, asOf, source };
}

function readDay(value: unknown): string | null {
  return typeof value === "string" && parseDay(value) !== null ? value : null;
}

const ID = /^[^\s\p{C}\p{Zl}\p{Zp}]{1,300}$/u;
const OWNER = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;

/** Refuses what no reader of rows looks at. Nothing of an id that can't be one is shown. */
function checkRow(row: unknown, at: number): JsonObject {
  const wrong = (what: string) => new FeedError(`row ${at + 1}: ${what}`, "value");
  if (!isObject(row)) throw wrong("it is no model");
  const { id, owner, as_of, shutdown, successor, like } = row;
  if (!isId(id)) throw wrong("its id can't be one");
  for (const [name, other] of Object.entries({ successor, like }))
    if (other !== undefined && !isId(other)) throw wrong(`its ${name} can't be an id`);
  for (const [name, day] of Object.entries({ as_of, shutdown }))
    if (day !== undefined && readDay(day) === null) throw wrong(`its ${name} is no day like 2026-11-28`);
  if (owner !== undefined && !(typeof owner === "string" && OWNER.test(owner)))
    throw wrong("its owner can't be a name");
  if (hasOddPrice(row)) throw wrong("its price has something that can't be an amount of USD");
  return row;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

const AMOUNTS: ReadonlySet<string> = new Set([...RATE_FIELDS, ...UNIT_FIELDS, "above_tokens"]);
const LISTS: ReadonlySet<string> = new Set(["tiers", "hours"]);

/** True if something in a price isn't what its name says. Readers of rows would take "1e3" for a number, and -0 for 0. */
function isOdd(part: unknown): boolean {
  if (!isObject(part)) return true;
  return Object.entries(part).some(([name, value]) => {
    if (AMOUNTS.has(name)) return typeof value !== "number" || !(value >= 0) || Object.is(value, -0);
    if (LISTS.has(name)) return !Array.isArray(value) || value.some(isOdd);
    if (name === "service") return !isObject(value) || Object.values(value).some(isOdd);
    return name === "days" && !Array.isArray(value);
  });
}

function hasOddPrice({ price, later_prices = [] }: JsonObject): boolean {
  if (!Array.isArray(later_prices) || later_prices.some(isOdd)) return true;
  return price !== null && isOdd(price);
}

const RATES: ReadonlySet<string> = new Set(RATE_FIELDS);
const PRICE: ReadonlySet<string> = new Set([...RATE_FIELDS, ...UNIT_FIELDS, "tiers", "hours", "service"]);
const TIER = new Set([...RATE_FIELDS, "above_tokens"]);
const HOURS = new Set([...RATE_FIELDS, "days", "from", "to"]);
const LATER = new Set([...PRICE, "from", "until"]);

/** True if the row has something in it that this program doesn't know: a part of a price, an ability, an operation, a dialect. */
function hasUnknown({ price, later_prices, capabilities, operations, dialects, kind }: JsonObject): boolean {
  return (
    hasOther(capabilities, CAPABILITIES) ||
    hasOther(operations, OPERATIONS) ||
    hasOther(dialects, DIALECTS) ||
    hasOther(kind === undefined ? undefined : [kind], MODEL_KINDS) ||
    hasUnknownPrice(price, PRICE) ||
    listParts(later_prices).some((part) => hasUnknownPrice(part, LATER))
  );
}

function hasOther(names: unknown, known: readonly string[]): boolean {
  return Array.isArray(names) && names.some((name) => typeof name === "string" && !known.includes(name));
}

function hasUnknownPrice(price: unknown, fields: ReadonlySet<string>): boolean {
  if (!isObject(price)) return false;
  const { tiers, hours, service } = price;
  return (
    hasField(price, fields) ||
    listParts(tiers).some((tier) => hasField(tier, TIER)) ||
    listParts(hours).some((part) => hasField(part, HOURS) || hasOther(part.days, DAYS)) ||
    (isObject(service) && hasUnknownService(service))
  );
}

function hasUnknownService(service: JsonObject): boolean {
  const known: readonly string[] = SERVICE_TIERS;
  return Object.entries(service).some(
    ([name, rates]) => !known.includes(name) || (isObject(rates) && hasField(rates, RATES)),
  );
}

function hasField(part: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.keys(part).some((name) => !known.has(name));
}

function listParts(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function build(rows: readonly JsonObject[]): readonly ModelCard[] {
  try {
    return buildCards(rows);
  } catch (error) {
    throw new FeedError(error instanceof Error ? error.message : String(error), "value");
  }
}
