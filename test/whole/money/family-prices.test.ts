// Requests to models that no card has, at the price of their family: what is held, charged, refused and written.
import { afterAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readCsv } from "../../harness/csv.ts";
import { startUnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { until } from "../world/until.ts";

const SEEDS = IS_LONG ? 200 : 6;
const NEW = "Moonshot#kimi-k9";
/** A listed model with the same price, window and limit. */
const LISTED = "Twin#kimi-k9";
/** Twice the price of kimi-k3, its relative. */
const PRICE = { input: 6, output: 30 };

/** The usage of the next answers. */
let usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
let cost: number | undefined;

const under = await startUnderTest({
  more: (
    upstream,
  ) => `  Moonshot: { keys: [k], base_url: "${upstream}/v1", reports_cost: true, unlisted_models: { price: family } }
  Twin:
    base_url: "${upstream}/v1"
    keys: [k]
    models: [{ name: kimi-k9, like: "Moonshot#kimi-k3", price: { input: 6, output: 30, cached_input: 0.6 } }]
billing: { charge: always }`,
  fetch: async (_url, { body }) => {
    const { model } = asObject(await new Response(body).json());
    const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hi" } }];
    const reported = cost === undefined ? usage : { ...usage, cost };
    return Response.json({ id: "c", object: "chat.completion", created: 1, model, choices, usage: reported });
  },
});
afterAll(() => under.stop());

async function admin(path: string): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${under.adminToken}` };
  return asObject(await (await fetch(`${under.url}/admin/v1${path}`, { headers })).json());
}

async function makePayer(usd: number, limits: object = {}): Promise<{ secret: string; accountId: string }> {
  const accountId = await under.newAccount();
  await under.topUp(accountId, usd);
  return { secret: (await under.newKey({ account_id: accountId, ...limits })).secret, accountId };
}

const ask = (model: string, secret: string, more: object = {}) =>
  under.chat({ model, messages: [{ role: "user", content: "hi" }], max_tokens: 1000, ...more }, { secret });

async function readLast(): Promise<JsonObject> {
  const { id } = asObject(asArray((await admin("/requests?limit=1")).data)[0]);
  return admin(`/requests/${id}`);
}

describe("a model that no card has, at the price of its family", () => {
  test("is asked under its own name, and its row says whose price it has", async () => {
    const { secret } = await makePayer(10);
    const response = await ask(NEW, secret);
    expect([response.status, asObject(await response.json()).model]).toEqual([200, NEW]);
    const shown = await readLast();
    const mark = { price_source: "family", like: "Moonshot#kimi-k3" };
    expect(shown).toMatchObject({ model_used: NEW, ...mark });
    const { prompt_tokens: input, completion_tokens: output } = usage;
    const due = (input * PRICE.input + output * PRICE.output) / 1e6;
    expect([shown.cost_usd, shown.charged_usd]).toEqual([due, due]);
    expect(Number(shown.hold_usd)).toBeGreaterThan(due);
    const listed = asObject(asArray((await admin("/requests?limit=1")).data)[0]);
    expect(listed).toMatchObject(mark);
    const headers = { authorization: `Bearer ${under.adminToken}` };
    const csv = await (await fetch(`${under.url}/admin/v1/export/requests.csv`, { headers })).text();
    expect(readCsv(csv)[0]).toMatchObject(mark);
  });

  test("is counted by its provider alone", async () => {
    const { secret } = await makePayer(10);
    for (let at = 0; at < 20; at++) await (await ask(`Moonshot#kimi-k9.${at}`, secret)).body?.cancel();
    const metrics = await (await fetch(`${under.url}/metrics`)).text();
    expect(metrics).toMatch(/poundkey_family_priced_total\{provider="Moonshot"\} \d\d/);
    expect(metrics).not.toContain("kimi-k9.1");
    expect(metrics).toContain('model="Moonshot#(unlisted)"');
  });

  test("costs what its provider reports, up to the hold, where it does", async () => {
    const { secret } = await makePayer(10);
    cost = 0.0012;
    await (await ask(NEW, secret)).body?.cancel();
    expect(await readLast()).toMatchObject({ cost_usd: 0.0012 });
    cost = 0;
    await (await ask(NEW, secret)).body?.cancel();
    const { prompt_tokens: input, completion_tokens: output } = usage;
    expect(await readLast()).toMatchObject({ cost_usd: (input * PRICE.input + output * PRICE.output) / 1e6 });
    cost = undefined;
  });

  test("is bound by a key's models and by budgets of its name, and is a row of its own nowhere", async () => {
    const bound = await makePayer(10, { allowed_models: ["Moonshot#kimi-k9"] });
    const other = await makePayer(10, { allowed_models: ["Moonshot#kimi-k3"] });
    const spent = await makePayer(10, { budgets: [{ usd: 0, per: "total", models: ["Moonshot#kimi-k9"] }] });
    const statuses = await Promise.all(
      [bound, other, spent].map(async ({ secret }) => (await ask(NEW, secret)).status),
    );
    expect(statuses).toEqual([200, 403, 429]);
    const models = JSON.stringify(
      await (
        await fetch(`${under.url}/v1/models`, {
          headers: { authorization: `Bearer ${under.secret}` },
        })
      ).json(),
    );
    expect(models).not.toContain(NEW);
  });

  test("has no price if it has no relative, and then no balance pays for it", async () => {
    const { secret } = await makePayer(10);
    expect((await ask("Moonshot#kimi-k1", secret)).status).toBe(403);
  });
});

/** A small generator of numbers from 0 to 1, the same for each seed. */
function makeRandom(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

interface Asked {
  readonly content: string;
  readonly max_tokens: number;
}

/** Returns what became of each request, with what was held and charged, and what is left of the balance. */
async function play(model: string, seed: number): Promise<readonly unknown[]> {
  const random = makeRandom(seed);
  const balance = 0.02 + random() * 0.2;
  const budget = 0.02 + random() * 0.2;
  const { secret, accountId } = await makePayer(Number(balance.toFixed(4)), {
    budgets: [{ usd: Number(budget.toFixed(4)), per: "total" }],
  });
  const outcomes: unknown[] = [];
  for (let at = 0; at < 6; at++) {
    const size = Math.round(random() * 4000);
    const asked: Asked = { content: "word ".repeat(size), max_tokens: 1 + Math.round(random() * 3000) };
    usage = {
      prompt_tokens: size + 8,
      completion_tokens: Math.round(random() * asked.max_tokens),
      total_tokens: 0,
    };
    const messages = [{ role: "user", content: asked.content }];
    const response = await ask(model, secret, { messages, max_tokens: asked.max_tokens });
    const answer = asObject(await response.json());
    outcomes.push([response.status, asObject(answer.error).code ?? null]);
  }
  const rows = asArray((await admin(`/requests?account=${accountId}`)).data).map(asObject);
  const spent = rows.reduce((sum, row) => sum + Number(row.charged_usd), 0);
  expect(spent).toBeLessThanOrEqual(Math.min(balance, budget) + 1e-4);
  for (const row of rows) expect(Number(row.charged_usd)).toBeLessThanOrEqual(Number(row.hold_usd));
  const account = await admin(`/accounts/${accountId}`);
  return [...outcomes, rows.map(({ hold_usd, charged_usd }) => [hold_usd, charged_usd]), account.balance_usd];
}

test("under a budget and a balance, each request holds, posts and is refused like one of a listed model", async () => {
  const codes = new Set<unknown>();
  for (let seed = 0; seed < SEEDS; seed++) {
    const outcomes = await play(NEW, seed);
    expect([seed, outcomes]).toEqual([seed, [...(await play(LISTED, seed))]]);
    for (const [status] of outcomes.slice(0, 6).map(asArray)) codes.add(status);
  }
  expect(codes.size).toBeGreaterThan(1);
});

test("requests in flight together spend at most the budget", async () => {
  usage = { prompt_tokens: 1000, completion_tokens: 900, total_tokens: 1900 };
  const { secret, accountId } = await makePayer(10, { budgets: [{ usd: 0.1, per: "total" }] });
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const response = await ask(NEW, secret);
      await response.body?.cancel();
      return response.status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  const rows = await until("all are settled", async () => {
    const found = asArray((await admin(`/requests?account=${accountId}`)).data).map(asObject);
    return found.length === statuses.filter((status) => status === 200).length ? found : null;
  });
  expect(rows.reduce((sum, row) => sum + Number(row.charged_usd), 0)).toBeLessThanOrEqual(0.1);
});
