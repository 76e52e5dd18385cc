// Hooks with `on_failure: pass`: what one key makes of the judge lets none of another key's forbidden texts pass.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

/** Two failing texts each: enough to open a breaker many times. */
const ROUNDS = 12;

const SCORES = { categories: { bad: true }, category_scores: { bad: 0.5 } };

let judge: TestServer;
let world: UnderTest;

beforeAll(async () => {
  judge = await serveHttp(async (request, response) => {
    const body = asObject(parseJson(await readText(request)));
    const isModel = request.url?.endsWith("/moderations") === true;
    const texts = [isModel ? body.input : asArray(body.texts)].flat().map(String);
    const isForbidden = (text: string) => text.includes("forbidden");
    const isFull = texts.some((text) => text.includes("crowding"));
    response.writeHead(isFull ? 429 : texts.some((text) => text.includes("unreadable")) ? 500 : 200);
    const verdict = isModel
      ? { results: texts.map((text) => ({ flagged: isForbidden(text), ...SCORES })) }
      : { action: texts.some(isForbidden) ? "BLOCKED" : "NONE" };
    response.end(JSON.stringify(verdict));
  });
  world = await startUnderTest({
    more: `
  Guard:
    dialect: openai
    keys: [sk-guard]
    base_url: "${judge.url}"
    models: [{ name: judge, operations: [moderation], context: 8192, price: { input: 0 } }]
hooks:
  - { name: server, url: "${judge.url}", keys: [], on_failure: pass }
  - { name: model, model: "Guard#judge", keys: [], on_failure: pass }
`,
  });
});
afterAll(async () => {
  await world.stop();
  await judge.stop();
});

async function askWith(secret: string, content: string): Promise<number> {
  const response = await world.chat(
    { model: "Local#sim", messages: [{ role: "user", content }] },
    { secret },
  );
  await response.text();
  return response.status;
}

async function countPassed(hook: string): Promise<number> {
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  const [, count = "0"] =
    new RegExp(`poundkey_hook_passed_total\\{hook="${hook}"\\} (\\d+)`).exec(metrics) ?? [];
  return Number(count);
}

test.each(["server", "model"].flatMap((hook) => [true, false].map((isShared) => [hook, isShared] as const)))(
  "%s, keys of one account: %p: no forbidden text passes while another key's texts make it fail",
  async (hook, isShared) => {
    const makeKey = async () => {
      const account_id = isShared ? "default" : await world.newAccount();
      return world.newKey({ hooks: [hook], requests_per_day: null, account_id });
    };
    const [failing, other] = [await makeKey(), await makeKey()];
    const before = await countPassed(hook);
    const statuses: number[] = [];
    for (let at = 0; at < ROUNDS; at++) {
      const texts = [`say: unreadable ${at}`, `say: unreadable too ${at}`];
      const failed = Promise.all(texts.map((text) => askWith(failing.secret, text)));
      statuses.push(await askWith(other.secret, `say: forbidden ${at}`));
      expect(await failed).toEqual([200, 200]);
    }
    expect(statuses.filter((status) => status !== 400)).toEqual([]);
    expect((await countPassed(hook)) - before).toBe(2 * ROUNDS);
  },
);

test("model: no forbidden text passes while another key's texts have brought its provider to its limit", async () => {
  const keys = { hooks: ["model"], requests_per_day: null };
  const crowding = await world.newKey({ ...keys, account_id: await world.newAccount() });
  const other = await world.newKey({ ...keys, account_id: await world.newAccount() });
  const before = await countPassed("model");
  expect(await askWith(crowding.secret, "say: crowding")).toBe(503);
  // The credential rests for all, so the question isn't sent.
  const statuses = [
    await askWith(other.secret, "say: forbidden"),
    await askWith(crowding.secret, "say: fine"),
  ];
  expect(statuses).toEqual([503, 503]);
  expect(await countPassed("model")).toBe(before);
});

test("server: a text for which it has no room doesn't pass", async () => {
  const { secret } = await world.newKey({ hooks: ["server"], requests_per_day: null });
  const before = await countPassed("server");
  for (let at = 0; at < 6; at++) expect(await askWith(secret, `say: crowding ${at}`)).toBe(503);
  expect(await askWith(secret, "say: forbidden words")).toBe(400);
  expect(await countPassed("server")).toBe(before);
});
