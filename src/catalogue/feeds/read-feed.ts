// Reads a list of prices in any of its forms, whole or not at all.

import { asObject, asString } from "../../core/json/json.ts";
import { CHAT_ONLY, type ModelCard } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import { formatDay, viewLaterPrices } from "../later-prices.ts";
import { priceView } from "../price.ts";
import { buildCards } from "../rows.ts";
import { FeedError, type FeedRow, type KnownIds, keepStated } from "./feed.ts";
import { readGenaiPrices } from "./genai-prices.ts";
import { readLiteLlm } from "./litellm.ts";
import { readModelsDev } from "./models-dev.ts";

/** More rows than any list has: each costs a comparison. */
const ROWS_MAX = 50_000;

/** Throws a FeedError that says why the list can't be used. */
export function readFeed(
  format: FeedFormat,
  value: unknown,
  known: KnownIds,
  nowMs: number,
): readonly FeedRow[] {
  if (value === undefined) throw new FeedError("it is not valid JSON");
  const rows = convert(format, value, known, nowMs);
  if (rows.length > ROWS_MAX) throw new FeedError(`it has more than ${ROWS_MAX} models`);
  if (rows.length === 0) throw new FeedError("it has no model of a provider that the gateway knows");
  return rows;
}

function convert(format: FeedFormat, value: unknown, known: KnownIds, nowMs: number): readonly FeedRow[] {
  switch (format) {
    case "litellm":
      return readLiteLlm(value, known);
    case "models.dev":
      return readModelsDev(value, known);
    case "genai-prices":
      return readGenaiPrices(value, known, formatDay(nowMs));
    case "poundkey":
      return readOwn(value);
  }
}

function readOwn(value: unknown): readonly FeedRow[] {
  const { as_of: asOf, models = value } = asObject(value);
  if (!Array.isArray(models)) throw new FeedError("a catalogue file is a list of models");
  const day = asString(asOf) ?? undefined;
  try {
    return buildCards(models).map((card, at) => describeCard(card, readDay(models[at]) ?? day));
  } catch (error) {
    throw new FeedError(error instanceof Error ? error.message : String(error));
  }
}

function readDay(row: unknown): string | null {
  return asString(asObject(row).as_of);
}

/** Returns the card as a row of a list of that day. */
export function describeCard(card: ModelCard, asOf: string | undefined): FeedRow {
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
