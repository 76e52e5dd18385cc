// Interactions and the same chat completions: each costs, holds and is charged what the other is, is repeated as the same, is
// limited in Google's form, and is found among the requests.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { foldEvents, listEvents } from "../../surfaces/interactions/interactions-read.ts";
import { type MoneyWorld, type Payer, startMoneyWorld } from "../world/money-world.ts";
import { asking } from "../world/world.ts";

let world: MoneyWorld;
beforeAll(async () => {
  world = await startMoneyWorld();
});
afterAll(() => world.stop());

async function post(path: string, secret: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(world.url + path, {
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

test("a limit refuses in Google's form, with the wait", async () => {
  const free = await world.payer(0, { requests_per_day: 1 });
  const body = { model: MODELS[0], input: "say: hi" };
  await post("/v1/interactions", free.secret, body);
  const used = await post("/v1/interactions", free.secret, body);
  expect(used.body.error).toMatchObject({
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    reason: "rate_limit_exceeded",
  });
  expect(JSON.stringify(used.body.error)).toContain("google.rpc.RetryInfo");
});
