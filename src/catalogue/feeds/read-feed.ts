// Reads a list of prices in any of its forms, whole or not at all.

import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { CHAT_ONLY, type ModelCard } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import { formatDay, viewLaterPrices } from "../later-prices.ts";
import { priceView } from "../price.ts";
import { buildCards } from "../rows.ts";
import { FeedError, type FeedRow, type KnownIds, keepStated } from "./feed.ts";
import { readGenaiPrices } from "./genai-prices.ts";
import { readLiteLlm } from "./litellm.ts";
import { readModelsDev } from "./models-dev.ts";
import { isOwnList, readOwnList } from "./own-list.ts";

/** More rows than any list has: each costs a comparison. */
const ROWS_MAX = 50_000;

/** A list as rows, with what it says of itself. Null is what it doesn't say. */
export interface ReadList {
  readonly rows: readonly FeedRow[];
  readonly serial: number | null;
  readonly asOf: string | null;
  readonly source: string | null;
  /** The rows that this program can't read, because they need a newer one. */
  readonly leftOut: number;
}

/** Throws a FeedError that says why the list can't be used. */
export function readFeed(format: FeedFormat, value: unknown, known: KnownIds, nowMs: number): ReadList {
  if (value === undefined) throw new FeedError("it is not valid JSON");
  const read = convert(format, value, known, nowMs);
  const { length } = read.rows;
  if (length > ROWS_MAX) throw new FeedError(`it has more than ${ROWS_MAX} models`);
  if (length + read.leftOut === 0)
    throw new FeedError("it has no model of a provider that the gateway knows");
  return read;
}

const UNNAMED = { serial: null, asOf: null, source: null, leftOut: 0 } as const;

function convert(format: FeedFormat, value: unknown, known: KnownIds, nowMs: number): ReadList {
  switch (format) {
    case "litellm":
      return { ...UNNAMED, rows: readLiteLlm(value, known) };
    case "models.dev":
      return { ...UNNAMED, rows: readModelsDev(value, known) };
    case "genai-prices":
      return { ...UNNAMED, rows: readGenaiPrices(value, known, formatDay(nowMs)) };
    case "poundkey":
      return isOwnList(value) ? readNumbered(value, nowMs) : readUnnumbered(value);
  }
}

function readNumbered(value: JsonObject, nowMs: number): ReadList {
  const { rows, ...head } = readOwnList(value, nowMs);
  return { ...head, rows: rows.map(({ card, asOf }) => describeCard(card, asOf)) };
}

/** A catalogue file. */
function readUnnumbered(value: unknown): ReadList {
  const { as_of: given, models = value } = asObject(value);
  if (!Array.isArray(models)) throw new FeedError("a catalogue file is a list of models");
  const asOf = asString(given);
  try {
    const rows = buildCards(models).map((card, at) =>
      describeCard(card, readDay(models[at]) ?? asOf ?? undefined),
    );
    return { ...UNNAMED, asOf, rows };
  } catch (error) {
    throw new FeedError(error instanceof Error ? error.message : String(error));
  }
}

function readDay(row: unknown): string | null {
  return asString(asObject(row).as_of);
}

/** Returns the card as a row of a list of that day. */
function describeCard(card: ModelCard, asOf: string | undefined): FeedRow {
  const { id, price, contextTokensMax, outputTokensMax, shutdownDate = null, operations = CHAT_ONLY } = card;
  return {
    id,
    price: price === null ? null : keepStated({ ...priceView(price) }),
    laterPrices: viewLaterPrices(card),
    context: contextTokensMax,
    output: outputTokensMax,
    shutdown: shutdownDate,
    capabilities: operations.has("chat") ? [...card.capabilities] : null,
    card,
    ...(asOf === undefined ? {} : { asOf }),
  };
}
