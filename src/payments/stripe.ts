// The call to Stripe that opens the page on which a checkout is paid.

import {
  CHECKOUT_FIELD,
  type Checkout,
  type CheckoutPages,
  type StripeRules,
} from "../core/books/checkout.ts";
import { Fault } from "../core/faults/fault.ts";
import { parseReceived } from "../core/json/bounds.ts";
import { asObject, asString } from "../core/json/json.ts";
import { NANO_PER_CENT } from "../core/money/money.ts";
import type { Clock, Fetch, ReadText } from "../core/world/world.ts";

/** Stripe keeps old versions for years. */
const VERSION = "2026-10-28.endive";
const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 1_000_000;
const MS_PER_SECOND = 1000;
/** A page is open for two hours, of Stripe's 30 minutes to 24 hours. */
const OPEN_SECONDS = 7200;

interface StripeParts {
  readonly fetch: Fetch;
  readonly readText: ReadText;
  readonly clock: Pick<Clock, "after">;
}

export function isLiveKey({ secretKey }: Pick<StripeRules, "secretKey">): boolean {
  return /^[a-z]+_live_/.test(secretKey);
}

export function createStripePages(parts: StripeParts): CheckoutPages {
  return {
    open: async (rules, checkout, urls) => {
      const { status, text } = await post(parts, rules, checkout.id, formatForm(checkout, urls));
      const answer = asObject(parseReceived(text));
      if (status !== 200) throw refuse(status, asObject(answer.error));
      const sessionId = asString(answer.id);
      const url = asString(answer.url);
      if (sessionId !== undefined && url !== undefined && /^https?:\/\//.test(url)) return { sessionId, url };
      throw new Fault("upstream_error", "Stripe's answer has no page to pay on.");
    },
  };
}

/**
 * The fields as Stripe's API takes them. Refunds and disputes carry nothing of the session, so the payment has our id too.
 * Without adaptive pricing, everybody pays in USD.
 */
function formatForm(
  { id, accountId, nanoUsd, createdAtMs }: Parameters<CheckoutPages["open"]>[1],
  { paidUrl, cancelledUrl }: Parameters<CheckoutPages["open"]>[2],
): URLSearchParams {
  return new URLSearchParams({
    mode: "payment",
    "line_items[0][quantity]": "1",
    "line_items[0][price_data][currency]": "usd",
    "line_items[0][price_data][unit_amount]": String(nanoUsd / NANO_PER_CENT),
    "line_items[0][price_data][product_data][name]": "Prepaid credit",
    client_reference_id: accountId,
    [`metadata[${CHECKOUT_FIELD}]`]: id,
    [`payment_intent_data[metadata][${CHECKOUT_FIELD}]`]: id,
    success_url: paidUrl,
    cancel_url: cancelledUrl,
    // The same in each repeat: Stripe refuses another request under the same Idempotency-Key.
    expires_at: String(Math.floor(createdAtMs / MS_PER_SECOND) + OPEN_SECONDS),
    "payment_method_types[0]": "card",
    "adaptive_pricing[enabled]": "false",
  });
}

async function post(
  { fetch: send, readText, clock }: StripeParts,
  { apiBase, secretKey }: StripeRules,
  idempotencyKey: Checkout["id"],
  form: URLSearchParams,
) {
  const ending = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => ending.abort());
  try {
    const response = await send(`${apiBase}/v1/checkout/sessions`, {
      method: "POST",
      redirect: "manual",
      signal: ending.signal,
      headers: {
        authorization: `Bearer ${secretKey}`,
        "content-type": "application/x-www-form-urlencoded",
        "stripe-version": VERSION,
        "idempotency-key": idempotencyKey,
      },
      body: form.toString(),
    });
    const text = await readText(response, ANSWER_BYTES_MAX);
    if (text === null) throw new Fault("upstream_error", "Stripe's answer is too long.");
    return { status: response.status, text };
  } catch (error) {
    if (ending.signal.aborted) throw new Fault("upstream_timeout", "Stripe didn't answer in time.");
    throw error instanceof Fault ? error : new Fault("upstream_error", "Stripe can't be reached.");
  } finally {
    cancel();
  }
}

const WORD = /^[a-z_]{1,60}$/;

/** Its message may quote the key. Its code says enough. */
function refuse(status: number, { code, type }: Readonly<Record<string, unknown>>): Fault {
  const word = [code, type].map((one) => asString(one) ?? "").find((one) => WORD.test(one));
  const details = { upstreamStatus: status };
  const why = word === undefined ? String(status) : `${status} ${word}`;
  return new Fault("upstream_error", `Stripe refused to open a page to pay on (${why}).`, details);
}
