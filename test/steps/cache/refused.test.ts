// A request that waits for another's answer, must ask a provider after all, and is then refused.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readSums } from "../../whole/world/money-world.ts";
import { until } from "../../whole/world/until.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

async function list(path: string): Promise<readonly JsonObject[]> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const response = await fetch(`${world.url}/admin/v1/${path}`, { headers });
  return asArray(asObject(await response.json()).data).map(asObject);
}

test.each([false, true])("is refused as any other, streamed: %p", async (stream) => {
  const limits = { requests_per_day: 2, parallel: 5, requests_per_minute: 5 };
  const { secret, id } = await world.newKey(limits);
  // An answer that was cut is not kept.
  const body = {
    model: "Local#sim~latency=1500",
    messages: [{ role: "user", content: `say: both ${stream}` }],
    max_tokens: 1,
    stream,
  };
  const ask = async (requestId: string, more: JsonObject = {}) => {
    const headers = { "x-poundkey-cache": "on", "x-request-id": requestId };
    const response = await world.chat({ ...body, ...more }, { secret, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const first = ask(`req-first-${stream}`);
  await until("the first is under way", async () => world.simulator.calls.total > 0);
  const twin = ask(`req-twin-${stream}`);
  await until("the twin waits", async () => readSums(world.directory).holds === 2);
  expect((await ask(`req-other-${stream}`, { model: "Local#sim", temperature: 1 })).status).toBe(200);
  expect((await first).status).toBe(200);
  const refused = await twin;
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining("rate_limit_exceeded")]);
  expect(refused.headers.get("x-poundkey-cache")).toBeNull();

  const told = world.events.filter(
    (one) =>
      one.request_id === `req-twin-${stream}` || asObject(one.record).requestId === `req-twin-${stream}`,
  );
  expect(told).toMatchObject([{ event: "refused", provider: "Local", outcome: "refused" }]);
  expect((await list(`requests?key=${id}`)).map(({ status }) => status)).toEqual([200, 200]);
  await until("the refusal is recorded", async () => (await list(`refusals?key=${id}`)).length === 1);
  expect(await list(`refusals?key=${id}`)).toMatchObject([{ code: "rate_limit_exceeded", count: 1 }]);
  const shown = await fetch(`${world.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  const used = asArray(asObject(await shown.json()).limits).map(asObject);
  expect(used.map((one) => `${one.kind} ${one.used}`)).toEqual(["requests_per_minute 2", "parallel 0"]);
  expect(readSums(world.directory).holds).toBe(0);
  world.simulator.reset();
});
