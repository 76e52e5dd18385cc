// The configuration of card payments: what is refused, with which words, and what the rest means.
import { expect, test } from "bun:test";
import { formatError } from "../../src/config/errors.ts";
import { loadText, readSettings } from "../harness/settings.ts";

const SERVER = { public_url: "https://gateway.example.com/" };
const STRIPE = { secret_key: "sk_test_secret", webhook_secret: "whsec_secret" };

function listErrors(stripe: object, server: object = SERVER): readonly string[] {
  const loaded = loadText(JSON.stringify({ server, topups: { stripe: { ...STRIPE, ...stripe } } }));
  return loaded.ok ? [] : loaded.errors.map(formatError);
}

test.each<[string, object, string]>([
  ["an empty key", { secret_key: "" }, "topups.stripe.secret_key: expected a secret or restricted key"],
  ["a publishable key", { secret_key: "pk_live_abc" }, "(sk_… or rk_…)"],
  [
    "an empty secret",
    { webhook_secret: "" },
    "topups.stripe.webhook_secret: expected the secret of Stripe's endpoint",
  ],
  ["a secret of nothing", { webhook_secret: "whsec_" }, "(whsec_…)"],
  ["a secret of spaces", { webhook_secret: "whsec_    " }, "(whsec_…)"],
  ["no amount", { amounts_usd: [] }, "a list of 1 to 20 amounts in USD"],
  ["an amount below a payment's", { amounts_usd: [0.49] }, "from 0.5 to 100000"],
  ["a part of a cent", { amounts_usd: [10, 9.999] }, "topups.stripe.amounts_usd[1]: expected whole cents"],
  ["http to anybody", { api_base: "http://api.stripe.com" }, "must be an https URL"],
])("%s is refused", (_what, stripe, words) => {
  const errors = listErrors(stripe);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(words);
  expect(errors[0]).toMatch(/^poundkey\.yaml:1:\d+: /);
  expect(errors[0]).not.toContain("pk_live_abc");
});

test("an empty variable is refused at its place in the file, with its field", () => {
  const text = `server: { public_url: "https://gateway.example.com" }
topups:
  stripe:
    secret_key: sk_test_secret
    webhook_secret: "\${STRIPE_WEBHOOK_SECRET}"`;
  const loaded = loadText(text, { env: { STRIPE_WEBHOOK_SECRET: "" } });
  expect(loaded.ok ? [] : loaded.errors.map(({ line, field }) => [line, field])).toEqual([
    [5, "topups.stripe.webhook_secret"],
  ]);
});

test("payers need an https address to come back to", () => {
  expect(listErrors({}, {})).toEqual([expect.stringContaining("topups.stripe: needs server.public_url")]);
  expect(listErrors({}, { public_url: "http://gateway.example.com" })).toEqual([
    expect.stringContaining("server.public_url: must be an https URL"),
  ]);
  expect(listErrors({}, { public_url: "http://127.0.0.1:8080" })).toEqual([]);
});

test("what is configured is what counts", () => {
  const api_base = "http://127.0.0.1:9999/";
  const given = { server: SERVER, topups: { stripe: { ...STRIPE, amounts_usd: [0.5, 19.99], api_base } } };
  expect(readSettings(JSON.stringify(given)).stripe).toEqual({
    secretKey: "sk_test_secret",
    webhookSecret: "whsec_secret",
    amountsUsd: [0.5, 19.99],
    apiBase: "http://127.0.0.1:9999",
    publicUrl: "https://gateway.example.com",
  });
  expect(readSettings("{}").stripe).toBeUndefined();
});
