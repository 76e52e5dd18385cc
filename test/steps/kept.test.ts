// Requests that a step has changed or refused, in the allowance, the log, kept responses and memory.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asArray, asObject, asString, type JsonObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import { asking } from "../whole/world/world.ts";
import { MADE_UP, replaced, told } from "./made-up.ts";

const LONG = "secret ".repeat(100_000);

let world: UnderTest;
beforeAll(async () => {
  const more = "responses: { keep: 1d }\nlog: { content: true }";
  world = await startUnderTest({ steps: MADE_UP, more });
});
afterAll(() => world.stop());
beforeEach(() => {
  told.length = 0;
  replaced.length = 0;
  world.simulator.reset();
});

async function get(path: string, secret: string): Promise<JsonObject> {
  const response = await fetch(world.url + path, { headers: { authorization: `Bearer ${secret}` } });
  return asObject(await response.json());
}

async function readStatus(asked: Promise<Response>): Promise<number> {
  const response = await asked;
  await response.text();
  return response.status;
}

test("what is surely refused is refused before a step works on it, and a step's refusal takes no place", async () => {
  const { secret, id } = await world.newKey({ requests_per_day: 1 });
  const ask = (text: string) => readStatus(world.chat(asking("Local#sim", text), { secret }));
  expect([await ask("forbidden"), await ask("canned"), await ask("say: a")]).toEqual([400, 200, 200]);
  expect(told.filter((one) => one === "guard before").length).toBe(3);
  told.length = 0;
  expect([await ask("say: a"), told]).toEqual([429, []]);
  const rows = asArray((await get(`/admin/v1/requests?key_id=${id}`, world.adminToken)).data).map(asObject);
  expect(rows.map(({ status }) => status)).toEqual([200, 200, 400]);
});

test.each([false, true])("the log keeps what a step has let pass (streamed: %p)", async (stream) => {
  const { secret, id } = await world.newKey();
  await readStatus(world.chat(asking("Local#sim", "say: secret banana", { stream }), { secret }));
  const content = await until("the content is written", async () => {
    const { data } = await get(`/admin/v1/requests?key_id=${id}`, world.adminToken);
    const [row] = asArray(data).map(asObject);
    return row && (await get(`/admin/v1/requests/${row.id}`, world.adminToken)).content;
  });
  expect(content).toMatchObject({ messages: [{ role: "user", content: "say: hidden banana" }] });
  expect(JSON.stringify(asObject(content).reply)).toContain("hidden fruit");
});

test.each([false, true])(
  "a kept response continues from what a step has let pass (streamed: %p)",
  async (stream) => {
    const response = await fetch(`${world.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
      body: JSON.stringify({ model: "Local#sim", input: "say: secret banana", stream }),
    });
    const id = asString(/"id":"(resp_[^"]+)"/.exec(await response.text())?.[1]);
    const kept = [
      await get(`/v1/responses/${id}/input_items`, world.secret),
      await get(`/v1/responses/${id}`, world.secret),
    ];
    expect(JSON.stringify(kept)).toContain("say: hidden banana");
    expect(JSON.stringify(kept)).toContain("hidden fruit");
    expect(JSON.stringify(kept)).not.toContain("secret");
  },
);

test("a stream that has begun keeps neither the prompt nor what a step has put in its place", async () => {
  const leaving = new AbortController();
  const body = { ...asking("Local#sim~pace=200", `${LONG}\nsay: one two three four five`, { stream: true }) };
  const response = await world.chat(body, { signal: leaving.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics.match(/^poundkey_requests_open .*$/m)?.[0]).toBe("poundkey_requests_open 1");
  expect(metrics.match(/^poundkey_body_bytes.*$/gm)?.filter((line) => !line.endsWith(" 0"))).toEqual([]);
  expect(replaced.map((ask) => JSON.stringify(ask).length < 1000)).toEqual([true]);
  leaving.abort();
  await until("it has ended", () => world.simulator.calls.open === 0);
});
