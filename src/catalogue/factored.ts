// The factors of a provider on its models' prices: of its region, of the operator's contract, and of its credentials.
import type { ModelCard } from "../core/models/card.ts";
import { addRegion, factorCard } from "../core/money/factors.ts";
import type { ProviderSetup } from "../core/settings.ts";

/** The part of a provider that its models' prices depend on. */
export type Pricing = Pick<ProviderSetup, "priceFactor" | "hidesPriceFactor" | "region"> &
  Partial<Pick<ProviderSetup, "credentials">>;

/** Returns the card with the prices that its provider bills. The same card if no factor applies. */
export function applyFactors(card: ModelCard, provider: Pricing | undefined): ModelCard {
  if (provider === undefined) return card;
  const { priceFactor = 1, credentials = [], hidesPriceFactor } = provider;
  const local = applyRegion(card, provider);
  const factored = factorCard(
    local,
    priceFactor,
    credentials.map((one) => one.priceFactor ?? 1),
  );
  const { unfactored } = factored;
  return hidesPriceFactor && unfactored
    ? { ...factored, unfactored: { ...unfactored, isShown: true } }
    : factored;
}

/** A price that the operator states is already the one of the region. */
function applyRegion(card: ModelCard, { region }: Pricing): ModelCard {
  const isDearer = region !== undefined && !card.isPriceStated && region.models.test(card.name);
  return isDearer ? addRegion(card, region.factor) : card;
}
