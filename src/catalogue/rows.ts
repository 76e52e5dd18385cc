// The shipped catalogue files as cards: one row per model, checked as it is read.

import { asArray, asNumber, asString, isObject, type JsonObject } from "../core/json/json.ts";
import {
  CAPABILITIES,
  CHAT_ONLY,
  type LaterPrice,
  MODEL_KINDS,
  type ModelCard,
  OPERATIONS,
  type OperationName,
  type Price,
} from "../core/models/card.ts";
import { DIALECTS } from "../core/models/dialect-names.ts";
import beyondChat from "./beyond-chat.data.json";
import { buildLaterPrices, findLaterProblem, type LaterPriceFields } from "./later-prices.ts";
import data from "./models.data.json";
import { buildPrice, findMissingRate, findPriceProblem, type PriceFields } from "./price.ts";

const TOKENS_MAX = 100_000_000;
const MILLISECONDS_PER_SECOND = 1000;

/** Returns the files' cards in order. Throws if a row is invalid: a broken build must not start. */
export function loadShippedCards(): readonly ModelCard[] {
  cards ??= buildCards([...data, ...beyondChat]);
  return cards;
}
let cards: readonly ModelCard[] | undefined;

/** Converts rows to cards. Throws an Error that names the first invalid row. */
export function buildCards(rows: unknown): readonly ModelCard[] {
  const seen = new Set<string>();
  return asArray(rows).map((row) => {
    const card = buildCard(isObject(row) ? row : {});
    if (seen.has(card.id.toLowerCase())) throw createRowError(card.id, "appears twice");
    seen.add(card.id.toLowerCase());
    return card;
  });
}

function buildCard(row: JsonObject): ModelCard {
  const id = asString(row.id) ?? "";
  const at = id.indexOf("#");
  if (at < 1 || at === id.length - 1) throw createRowError(id, "has an id that isn't <Provider>#<model>");
  const context = readTokens(id, row.context);
  const output = readTokens(id, row.output);
  if (context !== null && output !== null && output > context)
    throw createRowError(id, "has an output limit larger than its context window");
  const operations =
    row.operations === undefined
      ? CHAT_ONLY
      : new Set(readNames(id, row.operations, OPERATIONS, "operation"));
  const laterPrices = readLaterPrices(id, row.later_prices, operations);
  return {
    id,
    provider: id.slice(0, at),
    name: id.slice(at + 1),
    created: readReleaseSeconds(id, row.released),
    shutdownDate: asString(row.shutdown),
    ...(row.successor === undefined ? {} : { successor: asString(row.successor) ?? "" }),
    ...(row.kind === undefined ? {} : { kind: readNames(id, [row.kind], MODEL_KINDS, "kind")[0] }),
    ownedBy: asString(row.owner) ?? id.slice(0, at),
    contextTokensMax: context,
    outputTokensMax: output,
    price: row.price === null ? null : readPrice(id, row.price, operations),
    ...(laterPrices.length === 0 ? {} : { laterPrices }),
    capabilities: new Set(readNames(id, row.capabilities, CAPABILITIES, "capability", 0)),
    operations,
    ...(row.like === undefined ? {} : { like: asString(row.like) ?? "" }),
    ...(row.dialects === undefined ? {} : { dialects: readNames(id, row.dialects, DIALECTS, "dialect") }),
    listed: true,
    fallbacks: [],
  };
}

/** Converts those fields that a row may state by themselves. Throws an Error that names the row. */
export function buildFields(
  row: JsonObject,
  operations: ReadonlySet<OperationName> = CHAT_ONLY,
): Partial<ModelCard> {
  const id = asString(row.id) ?? "";
  const laterPrices = readLaterPrices(id, row.later_prices, operations);
  return {
    ...(row.price === undefined
      ? {}
      : { price: row.price === null ? null : readPrice(id, row.price, operations) }),
    ...(laterPrices.length === 0 ? {} : { laterPrices }),
    ...(row.shutdown === undefined ? {} : { shutdownDate: asString(row.shutdown) }),
    ...(row.successor === undefined ? {} : { successor: asString(row.successor) }),
    ...(row.context === undefined ? {} : { contextTokensMax: readTokens(id, row.context) }),
    ...(row.output === undefined ? {} : { outputTokensMax: readTokens(id, row.output) }),
  };
}

function readTokens(id: string, value: unknown): number | null {
  if (value === null) return null;
  const count = asNumber(value) ?? 0;
  if (!Number.isSafeInteger(count) || count < 1 || count > TOKENS_MAX)
    throw createRowError(id, "has an invalid limit");
  return count;
}

function readReleaseSeconds(id: string, value: unknown): number {
  if (value === null) return 0;
  const time = Date.parse(asString(value) ?? "");
  if (Number.isNaN(time)) throw createRowError(id, "has no release date");
  return time / MILLISECONDS_PER_SECOND;
}

function isPrice(value: unknown): value is PriceFields {
  return isObject(value) && Object.keys(value).length > 0;
}

function readPrice(id: string, value: unknown, operations: ReadonlySet<OperationName>): Price {
  if (!isPrice(value)) throw createRowError(id, "has no price");
  const missing = findMissingRate(value, operations);
  const wrong = missing === null ? findPriceProblem(value) : `has no ${missing} price`;
  if (wrong !== null) throw createRowError(id, wrong);
  return buildPrice(value);
}

function readLaterPrices(
  id: string,
  value: unknown,
  operations: ReadonlySet<OperationName>,
): readonly LaterPrice[] {
  const rows = asArray(value);
  const prices = rows.filter(isLaterPrice);
  if (prices.length < rows.length) throw createRowError(id, "has a later price without a day");
  const wrong = findLaterProblem(prices, operations);
  if (wrong !== null) throw createRowError(id, wrong.message);
  return buildLaterPrices(prices);
}

function isLaterPrice(value: unknown): value is LaterPriceFields {
  return isPrice(value) && "from" in value && typeof value.from === "string";
}

/** Returns the row's names in the order of `known`. Throws if one is unknown or there are fewer than `least`. */
function readNames<Name extends string>(
  id: string,
  value: unknown,
  known: readonly Name[],
  what: string,
  least = 1,
): readonly Name[] {
  const names = asArray(value);
  const found = known.filter((name) => names.includes(name));
  if (found.length !== names.length || found.length < least)
    throw createRowError(id, `has an unknown ${what}`);
  return found;
}

function createRowError(id: string, what: string): Error {
  return new Error(`The model catalogue is invalid: ${id || "a row without id"}: ${what}.`);
}
