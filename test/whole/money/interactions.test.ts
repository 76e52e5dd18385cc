// Interactions and the same chat completions: each costs, holds and is charged what the other is, is repeated as the same, is
// limited in Google's form, and is found among the requests.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { foldEvents, listEvents } from "../../surfaces/interactions/interactions-read.ts";
import { type MoneyWorld, type Payer, startMoneyWorld } from "../world/money-world.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

let world: MoneyWorld;
let always: MoneyWorld;
beforeAll(async () => {
  [world, always] = await Promise.all([startMoneyWorld(), startMoneyWorld("billing: { charge: always }")]);
});
afterAll(() => Promise.all([world.stop(), always.stop()]));

async function post(
  path: string,
  secret: string,
  body: object,
  headers: Record<string, string> = {},
  url = world.url,
) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: asObject(parseJson(text)) };
}

async function list(path: string): Promise<readonly JsonObject[]> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  return asArray(asObject(await (await fetch(`${world.url}/admin/v1${path}`, { headers })).json()).data).map(
    asObject,
  );
}

const MODELS = [
  "Acme#sim~tokens=1000:500",
  "Acme#sim~tokens=1001:501:333",
  "Claude#sim-think~tokens=1000:500:100:50",
];

/** The parts of a row and of the books that don't name the request. */
async function readBill(payer: Payer): Promise<unknown> {
  const { entries, balance, held, requests } = await world.settled(payer, 1);
  const { prompt_tokens, completion_tokens, cost_nano, charged_nano } = requests[0] ?? {};
  const moves = entries.map(({ kind, balance_nano, held_nano }) => ({ kind, balance_nano, held_nano }));
  return { moves, balance, held, prompt_tokens, completion_tokens, cost_nano, charged_nano };
}

test.each(MODELS)("%s costs the same as a chat completion, whole and streamed", async (model) => {
  for (const stream of [false, true]) {
    const [one, other] = [await world.payer(1), await world.payer(1)];
    const limit = { max_output_tokens: 600 };
    const own = { model, input: "say: a b c", stream, generation_config: limit };
    const { text } = await post("/v1/interactions", one.secret, own);
    const chat = asking(model, "say: a b c", { stream, max_completion_tokens: 600 });
    await post("/v1/chat/completions", other.secret, chat);
    const bill = await readBill(one);
    expect(bill).toEqual(await readBill(other));
    const { usage } = stream ? foldEvents(listEvents(text)) : asObject(parseJson(text));
    expect(Math.round(Number(asObject(usage).charged) * 1e9)).toBe(Number(asObject(bill).charged_nano));
  }
});

test("a repeated request gets the same interaction, once billed", async () => {
  const payer = await world.payer(1);
  const body = { model: MODELS[0], input: "say: a b c" };
  const headers = { "idempotency-key": "once" };
  const [first, second] = [
    await post("/v1/interactions", payer.secret, body, headers),
    await post("/v1beta/interactions", payer.secret, body, headers),
  ];
  expect(second.body).toEqual(first.body);
  expect(second.headers.get("x-poundkey-replayed")).toBe("true");
  expect(String(first.body.id)).toStartWith("int_");
  expect(world.books(payer).kinds).toEqual(["topup", "hold", "post"]);
});

test("rows say the surface, and the search finds an interaction's id", async () => {
  const payer = await world.payer(1);
  const { body } = await post("/v1/interactions", payer.secret, { model: MODELS[0], input: "say: hi" });
  await world.settled(payer, 1);
  const rows = await list(`/requests?surface=interactions&account_id=${payer.accountId}`);
  expect(rows).toMatchObject([{ id: body.id, surface: "interactions", operation: "chat" }]);
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const found = await fetch(`${world.url}/admin/v1/search?q=${body.id}`, { headers });
  expect(await found.text()).toContain(String(body.id));
});

/** The limits that `whole/limits/limits.test.ts` doesn't try on every surface. */
const LIMITS = [
  {
    what: "an allowance that is used, which names when there is room again",
    payerOf: () => world.payer(0, { requests_per_day: 1 }),
    error: { code: 429, status: "RESOURCE_EXHAUSTED", reason: "rate_limit_exceeded" },
    details: [expect.objectContaining({ retryDelay: expect.stringMatching(/^[1-9]\d*s$/) })],
  },
  {
    what: "a balance, which only a top-up raises",
    payerOf: () => always.payer(0.000001, { requests_per_day: null }),
    error: { code: 402, status: "FAILED_PRECONDITION", reason: "insufficient_balance" },
    details: undefined,
  },
];

test.each(LIMITS)("a refusal by $what, is in Google's form", async ({ payerOf, error, details }) => {
  const { secret } = await payerOf();
  const body = { model: MODELS[0], input: "say: hi" };
  const at = (error.code === 402 ? always : world).url;
  await post("/v1/interactions", secret, body, {}, at);
  for (const stream of [false, true]) {
    const refused = await post("/v1beta/interactions", secret, { ...body, stream }, {}, at);
    expect(refused.status).toBe(error.code);
    expect(refused.body.error).toMatchObject(error);
    const { details: given } = asObject(refused.body.error);
    expect<unknown>(given && asArray(given).filter((one) => "retryDelay" in asObject(one))).toEqual(details);
  }
});

/** Reads a stream up to these words, and leaves. */
async function leaveAfter(words: string, path: string, { secret }: Payer, body: JsonObject): Promise<void> {
  const client = new AbortController();
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: client.signal,
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes(words)) break;
  }
  client.abort();
}

test("a client that leaves a stream pays what came, as for a chat completion, and nothing stays held", async () => {
  const [one, other] = [await world.payer(1), await world.payer(1)];
  const [model, ask, stream] = ["Gated#middle", "say: one two", true];
  await leaveAfter("three four ", "/v1/interactions", one, { model, input: ask, stream });
  await leaveAfter("three four ", "/v1/chat/completions", other, asking(model, ask, { stream }));
  const bill = asObject(await readBill(one));
  expect(bill).toEqual(asObject(await readBill(other)));
  // Nobody has counted the 19 characters: a token has four.
  expect(bill).toMatchObject({ held: 0, completion_tokens: 5 });
  expect(Number(bill.charged_nano)).toBeGreaterThan(0);
  expect(bill.balance).toBe(1e9 - Number(bill.charged_nano));
  expect(world.books(one)).toMatchObject({ holds: 0, kinds: ["topup", "hold", "post"] });
  await until("no call of a provider goes on", () => world.gated.open === 0);
});
