// Lessons that a running gateway learns from answers automatically: breakage, length, and how much of the prompt is cached.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { asArray, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { candidate, looked, post, routed, worded } from "../../selectors/fixture.ts";
import { seen } from "../world/observe.ts";
import { until } from "../world/until.ts";

const MODELS = ["plain", "mute~trouble=no-content", "wordy~tokens=20:3000", "hoard~tokens=3000:10:2400"];

function yaml(url: string): string {
  const price = "price: { input: 10, cached_input: 1, output: 10 }";
  const rows = MODELS.map((name) => `{ name: "${name}", context: 100000, output: 8000, ${price} }`);
  return `  Odd: { dialect: openai, keys: ["k"], base_url: "${url}/openai/v1", models: [${rows.join(", ")}] }`;
}

let odd: UnderTest;
/** The gateway's own store, opened again as by another process. */
let store: Store;
beforeAll(async () => {
  odd = await startUnderTest({ more: yaml });
  store = await openSqliteStore({ path: join(odd.directory, "poundkey.db"), decide });
});
afterAll(async () => {
  await store.close();
  await odd.stop();
});

/** A key of an account of its own, because the bounds on what is learned are the account's. */
const keyFor = async (model: string) =>
  odd.newKey({
    allowed_models: [`Odd#${model}`],
    requests_per_day: null,
    account_id: await odd.newAccount(),
  });

/** The completion's id. */
async function answered(body: JsonObject, secret: string): Promise<string> {
  const { status, body: reply, text } = await seen(await odd.chat(body, { secret }));
  expect(status).toBe(200);
  return /"id":"(chatcmpl-[^"]+)"/.exec(text)?.[1] ?? String(reply.id);
}

const lessonOf = async (id: string) => (await store.lessons(0, 1000)).find((lesson) => lesson.id === id);
const taught = (id: string) => until("the lesson", async () => (await lessonOf(id)) ?? null);

const asJson = { response_format: { type: "json_object" } };
const refusing = worded("best", "Please refuse this.");
const broken: readonly (readonly [what: string, model: string, body: JsonObject])[] = [
  ["a refusal", "plain", refusing],
  ["a streamed refusal", "plain", { ...refusing, stream: true }],
  ["no JSON", "mute~trouble=no-content", worded("fair", "Hello!", asJson)],
  ["none in a stream", "mute~trouble=no-content", worded("fair", "Hi!", { ...asJson, stream: true })],
];

describe("a broken answer", () => {
  test.each(broken)("%s is a lesson, until the client gives a score", async (_, model, body) => {
    const { secret, id: keyId } = await keyFor(model);
    const id = await answered(body, secret);
    const told = await taught(id);
    expect(told).toMatchObject({ keyId, source: "signal", marks: [{ model: `Odd#${model}`, score: 0 }] });
    expect(told.weight).toBeWithin(0.19, 0.41);
    const { body: feedback } = await post(odd, "/v1/feedback", { id, score: 1 }, { secret });
    expect(feedback).toEqual({ id, score: 1, learned: true });
    expect(await lessonOf(id)).toMatchObject({ source: "score", weight: 1, marks: [{ score: 1 }] });
  });

  test("counts less the more good answers came before", async () => {
    const { secret } = await keyFor("plain");
    for (let at = 0; at < 4; at++) await answered(worded("best"), secret);
    const told = await taught(await answered(refusing, secret));
    expect(told.weight).toBe(0.5);
    const [mark] = told.marks;
    expect((mark?.score ?? 0) / (mark?.expected ?? 1)).toBeCloseTo(4 / 5, 3);
  });

  test("of a named model teaches nothing, nor does a good answer", async () => {
    const { secret } = await keyFor("plain");
    const named = await answered({ ...refusing, model: "Odd#plain" }, secret);
    const sound = await answered(worded("best", "Hello!", asJson), secret);
    await taught(await answered(refusing, secret));
    for (const id of [named, sound]) expect(await lessonOf(id)).toBeUndefined();
  });

  test("counts less and less if one account reports many, with several keys", async () => {
    const own = {
      allowed_models: ["Odd#mute~trouble=no-content"],
      requests_per_day: null,
      account_id: await odd.newAccount(),
    };
    const keys = [await odd.newKey(own), await odd.newKey(own)];
    const weights: number[] = [];
    for (let at = 0; at < 7; at++) {
      const secret = keys[at % keys.length]?.secret ?? "";
      weights.push((await taught(await answered(worded("best", "Hi!", asJson), secret))).weight);
    }
    expect(weights).toEqual([0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.1]);
  });
});

test("a model with longer answers than expected counts as more expensive, also at the next gateway", async () => {
  const model = "Odd#wordy~tokens=20:3000";
  const { secret } = await keyFor("wordy~tokens=20:3000");
  const costAt = async (url: string) =>
    Number(candidate(await routed(odd, worded("fair"), { secret, url }), model).cost_usd);
  const before = await costAt(odd.url);
  for (let at = 0; at < 20; at++) await answered(worded("fair"), secret);
  const after = await until("the length", async () => {
    const cost = await costAt(odd.url);
    return cost > 3 * before ? cost : null;
  });
  const next = await odd.another();
  try {
    await until("the same", async () => Math.abs((await costAt(next.url)) / after - 1) < 0.05 || null);
  } finally {
    await next.stop();
  }
});

test("a conversation counts as cheaper on a model that has its prompt cached, as far as observed", async () => {
  const model = "Odd#hoard~tokens=3000:10:2400";
  const { secret } = await keyFor("hoard~tokens=3000:10:2400");
  const long = "What is the sea? ".repeat(700);
  const turns = (count: number) => ({
    model: "Router#fair",
    messages: Array.from({ length: 2 * count - 1 }, (_, at) =>
      at % 2 === 0
        ? { role: "user", content: at === 0 ? long : `And then? ${at}` }
        : { role: "assistant", content: "The sea is wet." },
    ),
  });
  const costOf = async (count: number) =>
    Number(candidate(await routed(odd, turns(count), { secret }), model).cost_usd);
  const fresh = await costOf(2);
  for (let count = 1; count < 9; count++) await answered(turns(count), secret);
  await until("the discount", async () => ((await costOf(9)) < 0.42 * fresh ? true : null));
  const other = await keyFor("hoard~tokens=3000:10:2400");
  const strange = candidate(await routed(odd, turns(9), other), model);
  expect(Number(strange.cost_usd)).toBeGreaterThan(0.9 * fresh);
});

test("the operator can see and delete what was learned, per model or in total", async () => {
  const learned = async () => {
    const { data } = await looked(odd, "/learned");
    return new Map(
      asArray(data)
        .filter(isObject)
        .map((view) => [String(view.model), view]),
    );
  };
  const forget = async (query: string, token = odd.adminToken) => {
    const headers = { authorization: `Bearer ${token}` };
    return seen(await fetch(`${odd.url}/admin/v1/learned${query}`, { method: "DELETE", headers }));
  };
  const { secret } = await keyFor("plain");
  const told = await taught(await answered(refusing, secret));
  await taught(
    await answered(worded("best", "Hi!", asJson), (await keyFor("mute~trouble=no-content")).secret),
  );
  const model = told.marks[0]?.model ?? "";
  const before = await until("what was learned", async () => {
    const views = await learned();
    return views.size >= 2 && views.has(model) ? views : null;
  });
  expect(before.get(model)).toMatchObject({
    labels: expect.any(Number),
    categories: {},
    length: expect.any(Number),
  });
  expect((await forget("?modl=x")).status).toBe(400);
  expect((await forget("", "wrong")).status).toBe(401);
  expect((await forget(`?model=${encodeURIComponent(model)}`)).body).toEqual({ forgotten: model });
  expect((await store.lessons(0, 1000)).filter(({ marks }) => marks[0]?.model === model)).toEqual([]);
  await until("what is left", async () => Number((await learned()).get(model)?.labels ?? 0) === 0 || null);
  expect((await forget("")).body).toEqual({ forgotten: null });
  expect(await store.lessons(0, 10)).toEqual([]);
});
