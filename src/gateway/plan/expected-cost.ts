// The cost that a request is expected to have on a card, as an answer without a usage report would be billed.
import type { ModelCard } from "../../core/models/card.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import { listBillLines, sumBill } from "../../core/money/price.ts";
import { priceCardAt } from "../../core/money/schedule.ts";
import type { Amounts } from "../../core/money/units.ts";
import type { Form } from "../../operations/form.ts";
import { BYTES_PER_TOKEN } from "../../operations/text-tokens.ts";
import { countCalls } from "../attempt/calls.ts";
import type { Call } from "../call.ts";
import { fitAsk } from "./fitted.ts";

/** The output tokens of a request's answers together. */
export interface ExpectedOutput {
  /** The usual length of text. Answers of other kinds have what their operation expects of the request. */
  readonly usualTokens: number;
  /** The mean of earlier answers, whatever they are made of. Null if there are too few. */
  readonly meanTokens: number | null;
}

/** `nowMs` is wall time. */
export function expectCost<F extends Form>(
  call: Call<F>,
  card: ModelCard,
  { usualTokens, meanTokens }: ExpectedOutput,
  nowMs: number,
): NanoUsd {
  const { price } = priceCardAt(card, nowMs);
  const { operation, routes, ask, raw, markup } = call;
  const route = routes.find(card, ask, raw);
  if (price === null || route === null) return 0;
  const calls = countCalls({ operation, routes, card, ask, raw });
  const unreadBytes = route.lane === null ? 0 : call.unreadBytes;
  const sent = { ask: fitAsk(call, ask, card), calls, unreadBytes };
  const usual = operation.countAmounts(operation.estimate(sent, usualTokens * BYTES_PER_TOKEN, null));
  const amounts = meanTokens === null ? usual : replaceOutput(usual, meanTokens);
  return sumBill(listBillLines(price, amounts, calls), markup);
}

/** Pictures keep their share of the output. */
function replaceOutput(amounts: Amounts, completion: number): Amounts {
  const { completion: before, outputImage } = amounts;
  const share = before === 0 ? 0 : outputImage / before;
  return { ...amounts, completion, outputImage: share * completion };
}
