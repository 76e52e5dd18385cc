// `topups`: payments by card, and the checks without which anybody could forge one.
import { type Static, Type } from "@sinclair/typebox";
import type { StripeRules } from "../core/books/checkout.ts";
import type { Issues } from "./errors.ts";
import { baseUrl, number, options, section, text } from "./field-types.ts";
import { isSafeUrl } from "./providers/private-url.ts";

const AMOUNTS_MAX = 20;
/** Stripe takes no less, and the ledger's operator wants no slip of a digit. */
const USD_MIN = 0.5;
const USD_MAX = 100_000;
const AMOUNTS_USD = [10, 25, 100] as const;
const API_BASE = "https://api.stripe.com";
const CENTS = 100;

const stripe = section(
  {
    secret_key: text("a secret or restricted key of Stripe's (sk_… or rk_…)", /^(sk|rk)_[\x21-\x7e]{1,500}$/),
    // With an empty one, anybody could sign.
    webhook_secret: text("the secret of Stripe's endpoint (whsec_…)", /^whsec_[\x21-\x7e]{4,500}$/),
    amounts_usd: Type.Optional(
      Type.Array(number(USD_MIN, USD_MAX), {
        minItems: 1,
        maxItems: AMOUNTS_MAX,
        expected: `a list of 1 to ${AMOUNTS_MAX} amounts in USD`,
      }),
    ),
    api_base: Type.Optional(baseUrl),
  },
  "Payments by Stripe Checkout.",
);
export const topups = options({ stripe }, "How accounts are topped up.");

interface TopUpSections {
  readonly topups?: Static<typeof topups>;
  readonly server?: { readonly public_url?: string | null };
}

const PATH = ["topups", "stripe"] as const;

/** Returns nothing if cards aren't taken. */
export function buildStripeRules(
  { topups: given, server }: TopUpSections,
  issues: Issues,
): { readonly stripe?: StripeRules } {
  const config = given?.stripe;
  if (config === undefined) return {};
  const { secret_key: secretKey, webhook_secret: webhookSecret } = config;
  const { amounts_usd: amountsUsd = AMOUNTS_USD, api_base: apiBase = API_BASE } = config;
  for (const [at, usd] of amountsUsd.entries()) {
    if (Math.abs(usd * CENTS - Math.round(usd * CENTS)) < 1e-6) continue;
    issues.atValue([...PATH, "amounts_usd", at], "expected whole cents");
  }
  const base = URL.parse(apiBase);
  if (base === null || !isSafeUrl(base)) {
    issues.atValue([...PATH, "api_base"], "must be an https URL: http is for private addresses only");
  }
  const publicUrl = readPublicUrl(server?.public_url, issues);
  return {
    stripe: { secretKey, webhookSecret, amountsUsd, apiBase: apiBase.replace(/\/+$/, ""), publicUrl },
  };
}

/** Payers come back to it. Stripe's live mode refuses http. */
function readPublicUrl(given: string | null | undefined, issues: Issues): string {
  if (given === undefined || given === null) {
    issues.atKey(
      PATH,
      "needs server.public_url, the https address of this gateway to which payers come back",
    );
    return "";
  }
  const url = URL.parse(given);
  if (url === null || !isSafeUrl(url)) {
    const message =
      "must be an https URL, to which topups.stripe sends payers back: http is for private addresses only";
    issues.atValue(["server", "public_url"], message);
  }
  return given.replace(/\/$/, "");
}
