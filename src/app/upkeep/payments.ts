// Connects card payments with the live configuration, the store and the operator's problems.
import { makeEntry } from "../../admin/audit/audit-trail.ts";
import { GATEWAY } from "../../core/people/people.ts";
import type { Fetch, Log } from "../../core/world/world.ts";
import type { HookParts } from "../../payments/hook.ts";
import { createStripePages } from "../../payments/stripe.ts";
import type { PaymentTroubles } from "../../payments/troubles.ts";
import { readShortText } from "../../transport/short-text.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { clock } from "../world.ts";

interface PaymentParts {
  readonly opened: OpenedStore;
  readonly live: LiveConfiguration;
  readonly troubles: PaymentTroubles;
  readonly fetch: Fetch;
  readonly log: Log;
}

/** The sender on record of what Stripe's events change. */
const STRIPE = { ...GATEWAY, actor: { kind: "system", id: "stripe", name: "Stripe" } } as const;

export function createPayments({ opened, live, troubles, fetch, log }: PaymentParts) {
  const rules = () => live.settings.stripe;
  const hook: HookParts = {
    store: opened.store,
    clock,
    log,
    troubles,
    rules,
    timeZone: () => live.settings.quota.timeZone,
    makeEntry: (facts) => makeEntry(opened.world, { ...STRIPE, route: "POST /hooks/stripe" }, facts),
  };
  return { hook, checkouts: { pages: createStripePages({ fetch, readText: readShortText, clock }), rules } };
}
