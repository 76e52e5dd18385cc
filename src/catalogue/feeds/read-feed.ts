// Reads a list of prices in any of its forms, whole or not at all.

import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { CHAT_ONLY, type ModelCard } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import { applyPrices, formatDay, viewLaterPrices } from "../later-prices.ts";
import { priceView } from "../price.ts";
import { buildCards } from "../rows.ts";
import { FeedError, type FeedRow, type KnownIds, keepStated } from "./feed.ts";
import { GENAI_PRICES } from "./genai-prices.ts";
import { LITELLM } from "./litellm.ts";
import { MODELS_DEV } from "./models-dev.ts";
import { isPoundkeyList, type ListHead, readPoundkeyList } from "./poundkey-list.ts";
import { type PublicList, readPublicList } from "./public-list.ts";

const PUBLIC_LISTS: Readonly<Record<Exclude<FeedFormat, "poundkey">, PublicList>> = {
  litellm: LITELLM,
  "models.dev": MODELS_DEV,
  "genai-prices": GENAI_PRICES,
};

/** More rows than any list has: each costs a comparison. */
const ROWS_MAX = 50_000;

/** The head of a numbered list, and the number of its rows that this program doesn't understand. */
export interface NumberedList extends ListHead {
  readonly leftOut: number;
}

export interface ReadFeed {
  readonly rows: readonly FeedRow[];
  /** Null for a list without a number. */
  readonly list: NumberedList | null;
  /** The list's day. Null if it has none. */
  readonly asOf: string | null;
}

/** Throws a FeedError that says why the list can't be used. */
export function readFeed(format: FeedFormat, value: unknown, known: KnownIds, nowMs: number): ReadFeed {
  if (value === undefined) throw new FeedError("it is not valid JSON");
  const feed = convert(format, value, known, nowMs);
  const { rows, list } = feed;
  if (rows.length > ROWS_MAX) throw new FeedError(`it has more than ${ROWS_MAX} models`);
  if (rows.length === 0 && list === null)
    throw new FeedError("it has no model of a provider that the gateway knows");
  return feed;
}

function convert(format: FeedFormat, value: unknown, known: KnownIds, nowMs: number): ReadFeed {
  if (format === "poundkey")
    return isPoundkeyList(value) ? readNumbered(value, nowMs) : readUnnumbered(value, nowMs);
  const rows = readPublicList(PUBLIC_LISTS[format], value, known, formatDay(nowMs));
  return { rows, list: null, asOf: null };
}

function readNumbered(value: JsonObject, nowMs: number): ReadFeed {
  const { rows, ...list } = readPoundkeyList(value, nowMs);
  return { rows: rows.map(({ card, asOf }) => describeCard(card, asOf, nowMs)), list, asOf: list.asOf };
}

/** The older forms: those of a catalogue file. */
function readUnnumbered(value: unknown, nowMs: number): ReadFeed {
  const { as_of: given, models = value } = asObject(value);
  if (!Array.isArray(models)) throw new FeedError("a catalogue file is a list of models");
  const asOf = asString(given);
  try {
    const rows = buildCards(models).map((card, at) =>
      describeCard(card, asString(asObject(models[at]).as_of) ?? asOf, nowMs),
    );
    return { rows, list: null, asOf: asOf ?? null };
  } catch (error) {
    throw new FeedError(error instanceof Error ? error.message : String(error), "value");
  }
}

/** Returns the card as a row of a list of that day, with the price that applies by now. */
function describeCard(card: ModelCard, asOf: string | undefined, nowMs: number): FeedRow {
  const { id, contextTokensMax, outputTokensMax, shutdownDate = null, operations = CHAT_ONLY } = card;
  const { price, laterPrices } = applyPrices(card, nowMs);
  return {
    id,
    price: price === null ? null : keepStated({ ...priceView(price) }),
    laterPrices: viewLaterPrices({ ...card, laterPrices: laterPrices ?? [] }),
    context: contextTokensMax,
    output: outputTokensMax,
    shutdown: shutdownDate,
    capabilities: operations.has("chat") ? [...card.capabilities] : null,
    card,
    ...(asOf === undefined ? {} : { asOf }),
  };
}
