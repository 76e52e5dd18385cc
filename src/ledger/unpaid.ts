// Requests that a balance has to pay: the cards for which it can, and the refusal if it doesn't.
import type { Admission, Offer } from "../core/demand.ts";
import { Fault } from "../core/faults/fault.ts";
import type { Account } from "../core/keys/key.ts";
import { formatUsd } from "../core/money/money.ts";

/** True if no card of the plan has a price above 0. */
export function costsNothing(offers: readonly Offer[]): boolean {
  return (
    offers.length > 0 &&
    offers.every(
      ({ isPriced, lines, outputUsdPerMillion }) =>
        isPriced && lines.length === 0 && outputUsdPerMillion === 0,
    )
  );
}

/** The cards that a balance can pay for. Empty if the requested model has no price. */
export function listPriced({ isPayable }: Admission, offers: readonly Offer[]): readonly Offer[] {
  return isPayable ? offers.filter(({ isPriced }) => isPriced) : [];
}

export function makeUnpaidFault(demand: Admission, { balanceNanoUsd }: Account): Fault {
  const { modelAsked } = demand;
  if (listPriced(demand, demand.offers ?? []).length === 0) {
    const message = `This gateway charges for every request, and the model '${modelAsked}' has no price.`;
    return new Fault("model_not_priced", message, { param: "model" });
  }
  const balance = formatUsd(balanceNanoUsd);
  const message =
    demand.answers === 0
      ? `The account's balance of ${balance} does not cover this call. Top up the account.`
      : `The account's balance of ${balance} does not cover this request's maximum cost. ` +
        "Top up the account, set a smaller max_tokens, or use a cheaper model.";
  return new Fault("insufficient_balance", message);
}
