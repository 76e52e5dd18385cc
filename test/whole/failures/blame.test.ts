// Blame and payment: clients that leave, implausible usage reports, requests for several answers.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import {
  computePrice,
  type Payer,
  PRICE,
  parseNano,
  readSums,
  startMoneyWorld,
} from "../world/money-world.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const USD = 1_000_000_000;
const DAY_SECONDS = 86_400;
const SILENT = "Acme#sim~trouble=silent";

const world = await startMoneyWorld();
afterAll(async () => {
  expect(readSums(world.directory)).toMatchObject({ holds: 0, held: 0, wrong_balances: 0, debts: 0 });
  await world.stop();
});
beforeEach(() => world.provider.reset());

async function ask(payer: Payer, body: unknown, headers: Record<string, string> = {}): Promise<Seen> {
  return seen(await world.chat(body, { secret: payer.secret, headers }));
}

async function operator(path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  return (await fetch(`${world.url}/admin/v1${path}`, { headers })).json();
}

/** Sends a request and hangs up once the provider works on it. */
async function leave(payer: Payer, body: unknown): Promise<void> {
  const client = new AbortController();
  const answer = world.chat(body, { secret: payer.secret, signal: client.signal });
  answer.catch(() => {});
  await until("the provider is called", () => world.provider.calls.open > 0);
  client.abort();
  await until("the call has ended", () => world.provider.calls.open === 0);
}

describe("a client that leaves before the first token", () => {
  test("pays for a long prompt that was sent to a provider", async () => {
    const payer = await world.payer(50);
    const words = "word ".repeat(80_000);
    for (let time = 0; time < 3; time++) await leave(payer, asking(SILENT, words, { max_tokens: 10 }));
    const { requests, balance } = await world.settled(payer, 3);
    const cost = computePrice(100_004, 0);
    expect(requests.map(({ charged_nano }) => charged_nano)).toEqual([cost, cost, cost]);
    expect(balance).toBe(50 * USD - 3 * cost);
    expect(requests[0]).toMatchObject({ ended: "client_gone", usage_source: "estimate", model_used: null });
  });

  test("can't make more calls per day than its key's places, by leaving or by its own time limit", async () => {
    const payer = await world.payer(0, { requests_per_day: 4 });
    await leave(payer, asking(SILENT));
    await leave(payer, asking(SILENT, "x", { stream: true }));
    const answers: string[] = [];
    for (let time = 0; time < 6; time++)
      answers.push(formatLine(await ask(payer, asking(SILENT), { "x-poundkey-timeout": "0.5" })));
    expect(world.provider.calls.total).toBe(4);
    expect(answers.slice(0, 2)).toEqual(Array(2).fill("504 api_error upstream_timeout"));
    for (const answer of answers.slice(2))
      expect(answer).toStartWith("429 rate_limit_error rate_limit_exceeded");
    expect(world.books(payer).used).toBe(4);
  });

  test("is counted for the model that was called", async () => {
    const payer = await world.payer(1);
    await leave(payer, asking(SILENT, "x", { max_tokens: 10 }));
    await world.settled(payer);
    const { data } = asObject(await operator("/usage?group_by=account,model"));
    expect(data).toContainEqual(
      expect.objectContaining({ account_id: payer.accountId, model: SILENT, requests: 1 }),
    );
  });
});

describe("an implausible usage report", () => {
  const model = "Acme#sim~tokens=10000000:10000000";

  test("is capped at the context and the requested output, and the operator bears the rest", async () => {
    const payer = await world.payer(100);
    const answer = await ask(payer, asking(model, "x", { max_tokens: 10 }));
    const possible = computePrice(Math.ceil(128_000 * 1.05), 75);
    expect(answer.body).toMatchObject({ object: "chat.completion" });
    const usage = asObject(answer.body.usage);
    expect([parseNano(usage.cost), parseNano(usage.charged)]).toEqual([possible, possible]);
    expect(usage).toMatchObject({ prompt_tokens: 134_400, completion_tokens: 75, total_tokens: 134_475 });
    const { balance, requests } = await world.settled(payer);
    expect(balance).toBe(100 * USD - possible);
    expect(await operator(`/requests/${requests[0]?.id}`)).toMatchObject({
      usage_implausible: { prompt_tokens: 10_000_000, completion_tokens: 10_000_000 },
    });
  });

  test("is capped in streams too, from one token above the bound", async () => {
    const payer = await world.payer(100);
    const body = asking("Acme#sim~tokens=134401:4000", "x", {
      max_tokens: 4096,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect((await ask(payer, body)).stream?.usage).toMatchObject({
      prompt_tokens: 134_400,
      completion_tokens: 4000,
    });
  });

  test("is capped where cached tokens come on top of the prompt's", async () => {
    const payer = await world.payer(1);
    await ask(payer, asking("Acme#sim~tokens=5:5:10000000", "x", { max_tokens: 10 }));
    const { requests, balance } = await world.settled(payer);
    expect(await operator(`/requests/${requests[0]?.id}`)).toMatchObject({
      usage_implausible: { prompt_tokens: 10_000_005 },
    });
    expect(balance).toBe(1 * USD - Number(requests[0]?.charged_nano));
    expect(requests[0]?.charged_nano).toBe(computePrice(134_400 * PRICE.cached_input, 5));
  });

  test("is accepted if the counts are possible", async () => {
    const payer = await world.payer(1);
    await ask(payer, asking("Acme#sim~tokens=1000:500", "x", { max_tokens: 500 }));
    const { requests } = await world.settled(payer);
    expect(await operator(`/requests/${requests[0]?.id}`)).toMatchObject({ usage_implausible: null });
  });
});

describe("a request for several answers", () => {
  test("takes a place per answer, and says so", async () => {
    const payer = await world.payer(0, { requests_per_day: 20 });
    const answer = await ask(payer, asking("Acme#sim", "say: hi", { n: 16 }));
    expect([answer.status, answer.headers.get("x-ratelimit-remaining-requests")]).toEqual([200, "4"]);
    expect((await ask(payer, asking("Acme#sim", "say: hi", { n: 16 }))).status).toBe(200);
    const refused = await ask(payer, asking("Acme#sim"));
    // Twelve places were missing, so twelve slots later plus one, or the next day if that comes first.
    const dayLasts = DAY_SECONDS - ((Date.now() / 1000) % DAY_SECONDS);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.any(String)]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(Math.min(12 * 600, dayLasts - 1));
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(Math.min(13 * 600, dayLasts + 2));
  });

  test("gets all of them back if the provider fails", async () => {
    const payer = await world.payer(0, { requests_per_day: 20 });
    await ask(payer, asking("Acme#sim~trouble=500", "x", { n: 3 }));
    expect(world.books(payer).used).toBe(0);
  });
});

describe("the output limit sent to the provider", () => {
  test("is what the daily free budget covers, if the client set none", async () => {
    const payer = await world.payer(0, { requests_per_day: 5 });
    await ask(payer, asking("Acme#wide", "say: hi"));
    expect(asObject(world.provider.calls.last()?.body).max_completion_tokens).toBeUndefined();
    expect(asObject(world.provider.calls.last()?.body).max_tokens).toBeUndefined();
  });

  test("is lowered to what the balance covers, together with thinking, and both are named", async () => {
    const payer = await world.payer(1);
    const answer = await ask(
      payer,
      asking("Acme#wide", "say: hi", { max_tokens: 64_000, thinking_budget: 60_000 }),
    );
    expect(answer.status).toBe(200);
    const sent = asObject(world.provider.calls.last()?.body);
    const limit = Number(sent.max_tokens ?? sent.max_completion_tokens);
    // A quarter of a dollar at 25 USD per million, minus the prompt's worst case.
    expect(limit).toBeGreaterThan(9_000);
    expect(limit).toBeLessThan(10_000);
    expect(sent.thinking_budget).toBe(limit - 1024);
    expect(answer.headers.get("x-poundkey-dropped")).toBe("max_tokens, thinking_budget");
  });

  test("is refused if a large limit would fall below 4,096 tokens", async () => {
    const payer = await world.payer(0.05);
    const wish = asking("Acme#wide", "say: hi", { max_tokens: 64_000 });
    // The throttle's slot is free; the rest must be paid for.
    expect([(await ask(payer, wish)).status, (await ask(payer, wish)).status]).toEqual([200, 429]);
    const modest = asking("Acme#wide", "say: hi", { max_tokens: 1000 });
    expect((await ask(payer, modest)).status).toBe(200);
  });
});
