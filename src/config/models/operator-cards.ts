// Builds the cards of the operator's own models, and checks them.
import { collectCards, splitId } from "../../catalogue/catalogue.ts";
import { buildLaterPrices, findLaterProblem, type LaterPriceFields } from "../../catalogue/later-prices.ts";
import { describeUnknownModel } from "../../catalogue/overlay.ts";
import { buildPrice, findMissingRate, findPriceProblem, type PriceFields } from "../../catalogue/price.ts";
import { CHAT_ONLY, type ModelCard, type OperationName } from "../../core/models/card.ts";
import type { DialectName } from "../../core/models/dialect-names.ts";
import type { KnownProvider } from "../../core/settings.ts";
import type { Issues, Path } from "../errors.ts";
import type { ModelConfig } from "./model-schema.ts";

/** The provider whose models they are. */
interface OperatorModels {
  readonly provider: string;
  readonly models: readonly ModelConfig[];
  /** The provider's place in the file. */
  readonly path: Path;
  /** The dialects that it speaks, in its order of preference. */
  readonly spoken: readonly DialectName[];
  readonly known: readonly KnownProvider[];
  /** The known cloud that the provider is, whatever its name, or null. Its models are like the catalogue's of the same name. */
  readonly cloud: KnownProvider | null;
  /** The cards of the operator's catalogue file. */
  readonly cards: readonly ModelCard[];
}

export function buildOperatorCards(own: OperatorModels, issues: Issues): readonly ModelCard[] {
  const names = new Set<string>();
  return own.models.map((model, at) => {
    const wrong = (path: Path, message: string) =>
      issues.atValue([...own.path, "models", at, ...path], message);
    if (names.has(model.name)) wrong(["name"], "this model is listed twice");
    names.add(model.name);
    const like =
      findLike(model.like, own.cards, (message) => wrong(["like"], message)) ?? findOnCloud(own, model);
    const card = buildOperatorCard(own, model, like);
    checkLimits(model, card, wrong);
    if (model.dialect !== undefined && !own.spoken.includes(model.dialect))
      wrong(["dialect"], `${own.provider} only speaks ${own.spoken.join(" and ")}`);
    if (model.deployment !== undefined && !isDeploying(own))
      wrong(["deployment"], `has no effect: only models on Azure and Bedrock have deployments`);
    checkPrices(model, card.operations ?? CHAT_ONLY, wrong);
    return card;
  });
}

function checkLimits(
  model: ModelConfig,
  card: ModelCard,
  wrong: (path: Path, message: string) => void,
): void {
  const { contextTokensMax: context, outputTokensMax: output } = card;
  if (context === null || output === null || output <= context) return;
  const field = model.output === undefined ? "context" : "output";
  wrong([field], `the output limit ${output} is larger than the context window ${context}`);
}

/** Finds the card of the catalogue that a model is like. */
function findLike(
  like: string | undefined,
  given: readonly ModelCard[],
  wrong: (message: string) => void,
): ModelCard | null {
  if (like === undefined) return null;
  const cards = collectCards(given);
  const id = normaliseId(like);
  const found = cards.get(like) ?? [...cards.values()].find((card) => normaliseId(card.id) === id);
  if (found === undefined) wrong(describeUnknownModel(like, cards));
  return found ?? null;
}

function findOnCloud({ cloud, cards }: OperatorModels, { name, like }: ModelConfig): ModelCard | null {
  if (cloud === null || like !== undefined) return null;
  return collectCards(cards).get(`${cloud.name}#${name}`) ?? null;
}

/** On Azure models are called by the names of their deployments, on Bedrock by those of profiles and by ARNs. */
function isDeploying({ cloud }: OperatorModels): boolean {
  return cloud?.platform === "azure" || cloud?.platform === "bedrock";
}

/** The id with its provider in lower case. */
export function normaliseId(id: string): string {
  const parts = splitId(id);
  return parts === null ? id : `${parts.provider.toLowerCase()}#${parts.name}`;
}

function buildOperatorCard(own: OperatorModels, model: ModelConfig, like: ModelCard | null): ModelCard {
  const { provider } = own;
  const dialects = model.dialect === undefined ? narrowDialects(own, like) : [model.dialect];
  return {
    id: `${provider}#${model.name}`,
    provider,
    ...nameCard(own, model, like),
    ...(like === null ? {} : { like: like.like ?? like.id }),
    created: like?.created ?? 0,
    ...(like?.kind === undefined ? {} : { kind: like.kind }),
    ownedBy: like?.ownedBy ?? provider,
    contextTokensMax: model.context ?? like?.contextTokensMax ?? null,
    outputTokensMax: model.output ?? like?.outputTokensMax ?? null,
    ...priceCard(model, like),
    capabilities: listCapabilities(model, like),
    operations: model.operations ? new Set(model.operations) : (like?.operations ?? CHAT_ONLY),
    // Without declared capabilities no request is refused for lack of one.
    listed: model.capabilities !== undefined || like !== null,
    fallbacks: [],
    ...(dialects === undefined ? {} : { dialects }),
  };
}

/** A price for searches says that the model searches. */
function listCapabilities(model: ModelConfig, like: ModelCard | null): ModelCard["capabilities"] {
  const given = new Set(model.capabilities ?? like?.capabilities);
  return model.price && buildPrice(model.price).perSearch !== undefined ? given.add("search") : given;
}

/** Prices announced for later belong to the price that they follow, so a price in the file drops those of the other card. */
function priceCard(
  model: ModelConfig,
  like: ModelCard | null,
): Pick<ModelCard, "price" | "laterPrices" | "isPriceStated"> {
  const price = model.price === undefined ? (like?.price ?? null) : buildPrice(model.price);
  const stated = model.price === undefined ? {} : { isPriceStated: true as const };
  if (model.later_prices) return { price, ...stated, laterPrices: buildLaterPrices(model.later_prices) };
  return model.price === undefined && like?.laterPrices
    ? { price, laterPrices: like.laterPrices }
    : { price, ...stated };
}

/** A deployment's name says nothing about the model's rules, so the name of the model that it is like decides, without a host's prefix. */
function nameCard(own: OperatorModels, { name, deployment = name }: ModelConfig, like: ModelCard | null) {
  if (!isDeploying(own)) return { name };
  return { name: like === null ? name : like.name.slice(like.name.lastIndexOf("/") + 1), deployment };
}

/** The dialects that both this provider and the other card's speak. Undefined if there are none, or all of this one's. */
function narrowDialects(
  { spoken, known }: OperatorModels,
  like: ModelCard | null,
): readonly DialectName[] | undefined {
  if (like === null) return undefined;
  const row = known.find(({ name }) => name === like.provider);
  const wanted = like.dialects ?? row?.dialects?.map(({ name }) => name) ?? [];
  const shared = spoken.filter((name) => wanted.includes(name));
  return shared.length > 0 && shared.length < spoken.length ? shared : undefined;
}

interface PricedCard {
  readonly price?: PriceFields | undefined;
  readonly later_prices?: readonly LaterPriceFields[];
}

/** Reports what is wrong with a model's prices. Returns false if its price now can't be used. */
export function checkPrices(
  { price, later_prices = [] }: PricedCard,
  operations: ReadonlySet<OperationName>,
  wrong: (path: Path, message: string) => void,
): boolean {
  const missing = price && findMissingRate(price, operations);
  const message = price && !missing ? findPriceProblem(price) : null;
  if (missing) wrong(["price", missing], "this field is missing: models that generate text need it");
  if (message !== null) wrong(["price"], message);
  const later = findLaterProblem(later_prices, operations);
  if (later) wrong(["later_prices", later.at], later.message);
  return !missing && message === null;
}
