// A key that a provider no longer accepts, and whose refusals have no words: its list of models tells.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const ANSWER = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};
const KEY = "Bearer the-only-key";

/** The requests for the list, by their authorization. */
const lists: (string | undefined)[] = [];
let isDead = false;
let upstream: TestServer;
let gateway: UnderTest;

beforeAll(async () => {
  upstream = await serveHttp(async (request, response) => {
    const { authorization } = request.headers;
    await readText(request);
    const isList = request.method === "GET";
    if (isList) lists.push(authorization);
    const isRefused = authorization !== KEY || isDead;
    response.writeHead(isRefused ? 401 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isRefused ? { error: "unauthorized" } : isList ? { data: [] } : ANSWER));
  });
  const model = "{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }";
  gateway = await startUnderTest({
    more: `  House: { checks_keys: true, keys: [the-only-key], base_url: "${upstream.url}", models: [${model}] }`,
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function readState(): Promise<unknown> {
  const response = await fetch(`${gateway.url}/admin/v1/providers`, {
    headers: { authorization: `Bearer ${gateway.adminToken}` },
  });
  const { data } = (await response.json()) as { data: { name: string; credentials: object[] }[] };
  return data.find(({ name }) => name === "House")?.credentials[0];
}

test("one account's refusal retires it for all if its list is refused, too, and an answer brings it back", async () => {
  await until("the list is asked for", async () => (lists.length === 2 ? true : null));
  expect(lists).toEqual([undefined, KEY]);
  const newKey = async (title: string) =>
    gateway.newKey({ name: title, account_id: await gateway.newAccount(title) });
  const [good, other, third] = [await newKey("good"), await newKey("other"), await newKey("third")];
  const ask = async (key: typeof good) => (await gateway.chat(asking("House#m", "Hello!"), key)).status;
  expect([await ask(good), await ask(other)]).toEqual([200, 200]);
  isDead = true;
  expect(await ask(other)).toBe(502);
  const state = await until("the key is retired", async () => {
    const found = await readState();
    return JSON.stringify(found).includes("retired") ? found : null;
  });
  expect(state).toMatchObject({ state: "retired", reason: "its list of models is refused, too (401)" });
  expect(lists).toEqual([undefined, KEY, KEY]);
  isDead = false;
  expect(await ask(third)).toBe(200);
  expect(await readState()).toMatchObject({ state: "active", reason: null });
});
