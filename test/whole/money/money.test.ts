// Money over HTTP: refusals, holds while a request runs, and the charge at its end.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ask, closeBooks, readBill, readUpstreamLimit } from "../world/money-asking.ts";
import { computePrice, type MoneyWorld, parseNano, startMoneyWorld } from "../world/money-world.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { until } from "../world/until.ts";

const MARKUP = 1.25;
const USD = 1_000_000_000;
/** The worst case in tokens of a short prompt at an unknown provider, which these tests only bound. */
const PROMPT_TOKENS_MAX = 400;

let always: MoneyWorld;
beforeAll(async () => {
  always = await startMoneyWorld(`billing: { charge: always, markup: ${MARKUP} }`);
});
afterAll(() => closeBooks(always));
beforeEach(() => always.provider.reset());

describe("paying for every request", () => {
  test("a balance below the worst case: 402, and no provider is called", async () => {
    const payer = await always.payer(0.0001);
    const refused = await ask(always, payer, "Acme#sim", { stream: true });
    expect(formatLine(refused)).toBe("402 insufficient_quota insufficient_balance");
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(refused.error).toMatchObject({
      param: null,
      message: expect.stringContaining(
        "balance of $0.00010 does not cover this request's maximum cost. Top up",
      ),
    });
    expect(always.provider.calls.total).toBe(0);
    expect(always.books(payer)).toMatchObject({ kinds: ["topup"], requests: [], balance: 100_000 });
  });

  test("a model without a price: 403; a free one needs no balance and no limit", async () => {
    const payer = await always.payer(0);
    const refused = await ask(always, payer, "Acme#unpriced");
    expect(formatLine(refused)).toBe("403 permission_error model_not_priced");
    expect(refused.error).toMatchObject({ param: "model" });
    const gift = await ask(always, payer, "Acme#gift");
    expect([formatLine(gift), readBill(gift)]).toEqual(["200 whole", { cost: 0, charged: 0 }]);
    expect(readUpstreamLimit(always.provider.calls.last()?.body)).toBeUndefined();
    const body = { model: "Acme#gift", messages: [{ role: "user", content: "say: hi" }] };
    for (const state of ["stored", "hit"]) {
      const { secret } = payer;
      const kept = await always.chat(body, { secret, headers: { "x-poundkey-cache": "on" } });
      expect([kept.status, kept.headers.get("x-poundkey-cache")]).toEqual([200, state]);
      await kept.text();
    }
    expect(always.books(payer)).toMatchObject({ kinds: [], holds: 0 });
  });

  test("costs beyond tokens are part of the worst case", async () => {
    const payer = await always.payer(0.001);
    expect((await ask(always, payer, "Acme#toll~tokens=1000:500", { max_tokens: 1 })).status).toBe(402);
    expect((await ask(always, payer, "Acme#sim", { max_tokens: 1 })).status).toBe(200);
  });

  test("no allowance is mentioned", async () => {
    const payer = await always.payer(1, { requests_per_day: 5 });
    const { headers } = await ask(always, payer, "Acme#sim");
    expect(headers.get("x-ratelimit-limit-requests")).toBeNull();
    expect(await always.holder(payer)).toMatchObject({ allowance: { limit: 0, used: 0, remaining: 0 } });
    expect(always.books(payer)).toMatchObject({ used: 0 });
  });

  test("holds are visible to the operator and the key holder while a request runs", async () => {
    const payer = await always.payer(2);
    const answer = ask(always, payer, "Gated#mute", { max_tokens: 1000 });
    await until("the provider is called", () => always.gated.waiting === 1);
    const { held_usd: held, balance_usd: balance } = await always.account(payer);
    expect(parseNano(held)).toBeGreaterThanOrEqual(computePrice(0, 1000) * MARKUP);
    expect(parseNano(held)).toBeLessThanOrEqual(computePrice(PROMPT_TOKENS_MAX, 1000) * MARKUP);
    expect(parseNano(balance) + parseNano(held)).toBe(2 * USD);
    expect(await always.holder(payer)).toMatchObject({ balance_usd: balance, spent_usd: { total: 0 } });
    expect(always.books(payer)).toMatchObject({ kinds: ["topup", "hold"], holds: 1 });
    always.gated.release();
    const cost = computePrice(1000, 500) * MARKUP;
    expect(readBill(await answer)).toEqual({ cost, charged: cost });
    expect(await always.account(payer)).toMatchObject({ held_usd: 0, balance_usd: 2 - cost / USD });
    const spent = cost / USD;
    expect(await always.holder(payer)).toMatchObject({
      spent_usd: { today: spent, month: spent, total: spent },
    });
    const [row = {}] = always.books(payer).requests;
    expect(row).toMatchObject({ hold_nano: parseNano(held), charged_nano: cost });
  });

  test("only as many requests run at once as the balance covers", async () => {
    const payer = await always.payer(1);
    const probe = ask(always, payer, "Gated#mute", { max_tokens: 1000 });
    await until("the provider is called", () => always.gated.waiting === 1);
    const { held_usd: each } = await always.account(payer);
    const others = await always.payer(Math.floor(3.5 * parseNano(each)) / USD);
    const answers = Array.from({ length: 12 }, () => ask(always, others, "Gated#mute", { max_tokens: 1000 }));
    const refused = new Set<Seen>();
    for (const answer of answers) void answer.then((one) => one.status === 402 && refused.add(one));
    await until("the others are refused", () => refused.size === 9);
    expect(always.gated.waiting).toBe(4);
    always.gated.release();
    const statuses = (await Promise.all([probe, ...answers])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
  });
});

describe("the cost of a request", () => {
  /** The cost of each model before the markup, in nano-dollars. */
  const COSTS: readonly (readonly [string, number, Record<string, unknown>?])[] = [
    ["Acme#sim~tokens=1000:500", computePrice(1000, 500)],
    ["Acme#sim~tokens=1001:501:333", computePrice(668, 501) + 333 * 250],
    ["Acme#sim~tokens=1000:500", 2 * computePrice(1000, 500), { n: 2 }],
    ["Acme#toll~tokens=1000:500", computePrice(1000, 500) + 1_000_000],
    ["Acme#toll~tokens=1000:500", 2 * (computePrice(1000, 500) + 1_000_000), { n: 2 }],
    ["Claude#sim~tokens=1000:500", computePrice(1000, 500)],
    ["Claude#sim~tokens=1000:500", 3 * computePrice(1000, 500), { n: 3 }],
    ["Claude#sim~trouble=odd-usage~tokens=1000:500", computePrice(1000, 500)],
    ["Gemini#sim~tokens=1000:500", computePrice(1000, 500)],
    ["Gemini#sim~trouble=odd-usage~tokens=1000:500", computePrice(1000, 500)],
    ["Gemini#sim-think~tokens=1000:500:100:50", computePrice(900, 500) + 100 * 250],
  ];

  for (const [model, cost, more = {}] of COSTS) {
    for (const stream of [false, true]) {
      test(`${model}, ${JSON.stringify(more)}, streamed: ${stream}: the provider's count by the price and the markup, rounded up`, async () => {
        const payer = await always.payer(1);
        const charged = Math.ceil(cost * MARKUP);
        const answer = await ask(always, payer, model, { ...more, stream });
        expect(readBill(answer)).toEqual({ cost: charged, charged });
        expect(always.books(payer)).toMatchObject({
          balance: USD - charged,
          kinds: ["topup", "hold", "post"],
        });
        expect(always.books(payer).requests).toMatchObject([
          { charged_nano: charged, usage_source: "provider" },
        ]);
      });
    }
  }

  test("a stream charges its usage even if it is not asked to report it", async () => {
    const payer = await always.payer(1);
    const answer = await ask(always, payer, "Acme#sim~tokens=1000:500", { stream: true, stream_options: {} });
    expect(answer.stream?.usage).toBeNull();
    expect(always.books(payer).balance).toBe(USD - computePrice(1000, 500) * MARKUP);
  });

  test("beyond the hold it takes free balance, and the rest is written off and counted", async () => {
    const cost = computePrice(134_000, 4096) * MARKUP;
    const rich = await always.payer(20);
    expect(readBill(await ask(always, rich, "Acme#sim~tokens=134000:4096"))).toEqual({
      cost,
      charged: cost,
    });
    expect(always.books(rich)).toMatchObject({
      balance: 20 * USD - cost,
      kinds: ["topup", "hold", "post", "overrun"],
    });
    const writtenOff = async () => {
      const text = await (await fetch(`${always.url}/metrics`)).text();
      return Number(/^poundkey_written_off_nanousd_total (\d+)/m.exec(text)?.[1] ?? 0);
    };
    const before = await writtenOff();
    const poor = await always.payer(0.1);
    expect(readBill(await ask(always, poor, "Acme#sim~tokens=134000:4096"))).toEqual({
      cost,
      charged: USD / 10,
    });
    const { balance, entries, requests } = always.books(poor);
    expect(balance).toBe(0);
    expect(entries.at(-1)).toMatchObject({ kind: "overrun", overrun_nano: USD / 10 - cost });
    expect(requests).toMatchObject([{ cost_nano: cost, charged_nano: USD / 10 }]);
    expect((await writtenOff()) - before).toBe(cost - USD / 10);
  });

  test("beyond the request's own ceiling it takes nothing, whatever the provider reports", async () => {
    const payer = await always.payer(20);
    const body = { model: "Acme#sim~tokens=134000:4096", messages: [{ role: "user", content: "say: hi" }] };
    const headers = { "x-poundkey-max-cost": "0.01" };
    const answer = await seen(await always.chat(body, { secret: payer.secret, headers }));
    const { cost, charged } = readBill(answer);
    expect([formatLine(answer), charged]).toEqual(["200 whole", USD / 100]);
    expect(cost).toBeGreaterThanOrEqual(computePrice(134_000, 0) * MARKUP);
    const { balance, entries, requests } = always.books(payer);
    expect(balance).toBe(20 * USD - USD / 100);
    expect(entries.at(-1)).toMatchObject({ kind: "overrun", overrun_nano: USD / 100 - cost });
    expect(requests).toMatchObject([{ cost_nano: cost, charged_nano: USD / 100 }]);
  });
});

describe("the limit used for the hold", () => {
  const told = () => readUpstreamLimit(always.provider.calls.last()?.body);

  test("with a large balance it is the model's own, and none is sent", async () => {
    const payer = await always.payer(10);
    const { headers } = await ask(always, payer, "Acme#sim");
    expect([told(), headers.get("x-poundkey-dropped")]).toEqual([undefined, null]);
    await ask(always, payer, "Claude#sim~tokens=1000:500");
    expect(told()).toBe(4096);
    // Only its context is known, and a limit that large would leave no room for the prompt.
    await ask(always, payer, "Acme#unknown-limit");
    expect(told()).toBeUndefined();
  });

  for (const model of ["Acme#sim", "Claude#sim~tokens=1000:500", "Acme#unknown-limit"]) {
    test(`${model}: with a small balance it is what a quarter covers, and it is sent`, async () => {
      const payer = await always.payer(0.02);
      const { headers } = await ask(always, payer, model);
      const limit = Number(told());
      expect(limit).toBeGreaterThan(1024);
      expect(limit).toBeLessThan(4096);
      expect(headers.get("x-poundkey-dropped")).toBeNull();
      const [row = {}] = always.books(payer).requests;
      expect(Number(row.hold_nano)).toBeLessThanOrEqual((0.02 * USD) / 4);
      expect(Number(row.hold_nano)).toBeGreaterThan((0.02 * USD) / 4 - computePrice(0, 1) * MARKUP);
      expect(Number(row.hold_nano)).toBeGreaterThanOrEqual(computePrice(0, limit) * MARKUP);
    });
  }

  test("with a smaller balance it is 1,024 tokens, if the balance covers them", async () => {
    await ask(always, await always.payer(0.004), "Acme#sim");
    expect(told()).toBe(1024);
    expect((await ask(always, await always.payer(0.0025), "Acme#sim")).status).toBe(402);
  });

  test("the client's own limit is kept and held", async () => {
    const payer = await always.payer(0.01);
    await ask(always, payer, "Acme#sim", { max_tokens: 77 });
    expect(told()).toBe(77);
    const [row = {}] = always.books(payer).requests;
    expect(Number(row.hold_nano)).toBeLessThanOrEqual(computePrice(PROMPT_TOKENS_MAX, 77) * MARKUP);
    expect((await ask(always, payer, "Acme#sim", { max_tokens: 4096 })).status).toBe(402);
  });
});

test("a key's spend limit ends its spending, not the account's", async () => {
  const limited = await always.payer(5, { spend_limit_usd: 0.002 });
  const model = "Acme#sim~tokens=1000:500";
  expect((await ask(always, limited, model, { max_tokens: 4000 })).status).toBe(429);
  expect((await ask(always, limited, model, { max_tokens: 500 })).status).toBe(200);
  const refused = await ask(always, limited, model, { max_tokens: 500 });
  expect(formatLine(refused)).toBe("429 insufficient_quota budget_exceeded");
  const spent = (computePrice(1000, 500) * MARKUP) / USD;
  expect(await always.holder(limited)).toMatchObject({
    balance_usd: 5 - spent,
    spend_limit_usd: 0.002,
    spent_usd: { total: spent },
  });
});
