// The models that a list of prices has and the catalogue doesn't.
import { CHAT_ONLY, type ModelCard, type Price } from "../../core/models/card.ts";
import { listPrices } from "../../core/money/schedule.ts";
import { formatDay } from "../later-prices.ts";
import { isEndListed } from "./ends.ts";
import type { FeedRow } from "./feed.ts";
import { findPriceChange } from "./price-change.ts";
import type { Proposal } from "./verdict.ts";

interface Basis {
  /** The providers that the catalogue has models of. */
  readonly providers: ReadonlySet<string>;
  readonly nowMs: number;
}

/** A snapshot of a model, which has the model's own price, or a path that no client asks for. */
const SNAPSHOT = /(-\d{4}-\d{2}-\d{2}|[-@]\d{6,8})(-v\d+:\d+)?$/;
/** Their models' names begin with those of their makers. */
const MARKETS: ReadonlySet<string> = new Set([
  "OpenRouter",
  "Together",
  "DeepInfra",
  "NVIDIA",
  "Groq",
  "Novita",
  "Baseten",
]);

export function proposeModel(row: FeedRow, { providers, nowMs }: Basis): readonly Proposal[] {
  const [provider = "", ...rest] = row.id.split("#");
  if (!providers.has(provider)) return [];
  if (row.shutdown !== null && row.shutdown < formatDay(nowMs)) return [];
  const isEnd = isEndListed(row.id, row.card !== undefined);
  return row.card === undefined
    ? proposeUnpriced(row, provider, rest.join("#"), isEnd)
    : [proposeWhole(row.card)];
}

/** A row of our own form says all that there is to know, so that it comes with its price. */
function proposeWhole(adds: ModelCard): Proposal {
  const { id, price } = adds;
  const isFree = listPrices(adds).some((one) => listRates(adds, one).includes(0));
  const after =
    price === null
      ? "a new model, without a price"
      : `a new model: input ${price.input}, output ${price.output}`;
  return {
    id,
    field: "model",
    before: null,
    after,
    verdict: isFree ? "waits" : "taken",
    reason: isFree ? "one of its rates is 0" : null,
    moves: null,
    isNew: true,
    card: {},
    adds,
  };
}

/** The rates that it has, without those of tokens of a model that is priced by other pieces. */
function listRates({ operations = CHAT_ONLY }: ModelCard, price: Price): readonly unknown[] {
  const { input, output, ...others } = price;
  const isWriter = operations.has("chat") || operations.has("completion");
  const stated = Object.values(others).filter((rate) => typeof rate === "number");
  const tokens = [input, output].filter((rate) => isWriter || rate > 0);
  const tiers = (price.tiers ?? []).flatMap((tier) => (isWriter ? [tier.input, tier.output] : []));
  const all = [...tokens, ...tiers, ...stated];
  return all.length === 0 ? [0] : all;
}

/** Other lists lack too much to have their price taken with the model. It waits. */
function proposeUnpriced(row: FeedRow, provider: string, name: string, isEnd: boolean): readonly Proposal[] {
  const price = row.price === null ? null : findPriceChange(null, row.price);
  if (row.capabilities === null || SNAPSHOT.test(name)) return [];
  if (price === null || price.verdict === "refused" || (name.includes("/") && !MARKETS.has(provider)))
    return [];
  const { price: priced, ...change } = price;
  const about = { id: row.id, before: null, moves: null, isNew: true };
  const after = "a new model, without a price";
  const adds = buildUnpriced(row, provider, name, isEnd);
  return [
    { ...about, field: "model", after, verdict: "taken", reason: null, card: {}, adds },
    { ...change, ...about, field: "price", card: { price: priced } },
  ];
}

function buildUnpriced(row: FeedRow, provider: string, name: string, isEnd: boolean): ModelCard {
  const { context, output, shutdown } = row;
  return {
    id: row.id,
    provider,
    name,
    created: 0,
    ...(shutdown === null || !isEnd ? {} : { shutdownDate: shutdown }),
    ownedBy: provider,
    contextTokensMax: context,
    outputTokensMax: context !== null && output !== null && output > context ? null : output,
    price: null,
    capabilities: new Set(row.capabilities),
    operations: CHAT_ONLY,
    listed: true,
    fallbacks: [],
  };
}
