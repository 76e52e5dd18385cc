// The facts beside an answer, tried over HTTP: its cost, the time of each part and the end of its model. Keys that use such
// models are listed, and agents' own telemetry is taken.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

/** Of those whose end is announced in the catalogue, one that has the longest time left. */
const ENDING =
  loadShippedCards()
    .filter(({ id, shutdownDate }) => /^OpenAI#gpt-[\d.]+(-[a-z]+)?$/.test(id) && shutdownDate !== undefined)
    .toSorted((one, other) => String(other.shutdownDate).localeCompare(String(one.shutdownDate)))[0]?.id ??
  "none is announced";
const LASTING = "Local#sim-mini";

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest();
});
afterAll(() => gateway.stop());

const chat = (model: string, more: Record<string, unknown> = {}) => asking(model, "say: good day", more);

describe("the headers of an answer", () => {
  test("cost and charge are those of its usage, as plain decimals", async () => {
    const accountId = await gateway.newAccount("payer");
    await gateway.topUp(accountId, 5);
    const { secret } = await gateway.newKey({ account_id: accountId, requests_per_day: 0 });
    const paid = await gateway.chat(chat("OpenAI#gpt-5.4", { max_tokens: 50 }), { secret });
    const { usage } = (await paid.json()) as { usage: { cost: number; charged: number } };
    expect(usage.charged).toBeGreaterThan(0);
    expect(Number(paid.headers.get("x-poundkey-cost"))).toBe(usage.cost);
    expect(Number(paid.headers.get("x-poundkey-charged"))).toBe(usage.charged);
    expect(paid.headers.get("x-poundkey-cost")).toMatch(/^0\.\d*[1-9]$/);
  });

  test("a free answer is charged 0, an unpriced one costs 0", async () => {
    const free = await gateway.chat(chat(LASTING));
    expect([free.headers.get("x-poundkey-cost"), free.headers.get("x-poundkey-charged")]).toEqual(["0", "0"]);
  });

  test("a stream doesn't know its cost yet", async () => {
    const response = await gateway.chat(chat(LASTING, { stream: true }));
    await response.text();
    expect(response.headers.get("x-poundkey-cost")).toBeNull();
  });

  test("a repeated answer says what the first one paid", async () => {
    const headers = { "idempotency-key": "the-same" };
    const first = await gateway.chat(chat("OpenAI#gpt-5.4"), { headers });
    const second = await gateway.chat(chat("OpenAI#gpt-5.4"), { headers });
    expect(second.headers.get("x-poundkey-replayed")).toBe("true");
    expect(second.headers.get("x-poundkey-cost")).toBe(first.headers.get("x-poundkey-cost"));
  });

  test.each([false, true])(
    "the provider's time is told from the gateway's (streamed: %p)",
    async (stream) => {
      const startedMs = performance.now();
      const response = await gateway.chat(chat("Local#sim-mini~latency=300", { stream }));
      await response.text();
      const [, own, upstream] =
        /^gateway;dur=([\d.]+), upstream;dur=([\d.]+)$/.exec(response.headers.get("server-timing") ?? "") ??
        [];
      expect(Number(upstream)).toBeGreaterThanOrEqual(299);
      // No moment counts twice.
      expect(Number(own) + Number(upstream)).toBeLessThanOrEqual(performance.now() - startedMs + 1);
    },
  );

  test("a refused request has waited for no provider", async () => {
    const wrong = await gateway.chat({ ...chat(LASTING), temperature: 9 });
    expect(wrong.headers.get("server-timing")).toBeNull();
    const failed = await gateway.chat(chat("Local#sim-mini~trouble=500"));
    expect(failed.headers.get("server-timing")).toMatch(/upstream;dur=\d/);
    expect(failed.headers.get("x-poundkey-cost")).toBeNull();
  });

  test("the end of a model stands on its answers, and on no other's", async () => {
    const { body } = await createOperator(gateway).get("/models");
    const { shutdown } =
      (body.data as { id: string; shutdown: string }[]).find(({ id }) => id === ENDING) ?? {};
    for (const stream of [false, true]) {
      const response = await gateway.chat(chat(ENDING, { stream }));
      await response.text();
      const sunset = response.headers.get("sunset") ?? "";
      expect(sunset).toMatch(/^\w{3}, \d\d \w{3} \d{4} 00:00:00 GMT$/);
      expect(new Date(sunset).toISOString().slice(0, 10)).toBe(shutdown ?? "");
    }
    expect((await gateway.chat(chat(LASTING))).headers.get("sunset")).toBeNull();
  });
});

describe("models that end", () => {
  test("are listed with the keys that use them, and stand in the metrics", async () => {
    const { secret, id } = await gateway.newKey({ name: "still-on-it", requests_per_day: null });
    await (await gateway.chat(chat(ENDING), { secret })).text();
    const found = await until("the sums hold it", async () => {
      const { body } = await createOperator(gateway).get("/models/retiring");
      const rows = body.data as { model: string; keys: { key_id: string }[] }[];
      return rows.find(({ model, keys }) => model === ENDING && keys.some(({ key_id }) => key_id === id));
    });
    expect(found).toMatchObject({
      shutdown: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      days_left: expect.any(Number),
      keys: expect.arrayContaining([expect.objectContaining({ name: "still-on-it", requests: 1 })]),
    });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    const [, ends] = metrics.split(`\npoundkey_model_shutdown_timestamp_seconds{model="${ENDING}"} `);
    expect(ends).toMatch(/^\d{10}$/m);
    expect(metrics).not.toMatch(/^poundkey_model_shutdown_timestamp_seconds\{model="OpenAI#gpt-5.4"\}/m);
  });
});

describe("agents' own telemetry", () => {
  const send = (path: string, headers: Record<string, string>, body = "{}") =>
    fetch(gateway.url + path, { method: "POST", headers, body });

  test.each(["/v1/metrics", "/v1/logs", "/v1/traces"])("%s is taken and dropped", async (path) => {
    const authorization = `Bearer ${gateway.secret}`;
    const json = await send(
      path,
      { authorization, "content-type": "application/json" },
      '{"resourceLogs":[]}',
    );
    expect([json.status, await json.json()]).toEqual([200, {}]);
    const binary = await send(path, { authorization, "content-type": "application/x-protobuf" }, "\u0001");
    expect([binary.status, binary.headers.get("content-type"), await binary.text()]).toEqual([
      200,
      "application/x-protobuf",
      "",
    ]);
  });

  test("needs a key", async () => {
    expect((await send("/v1/traces", {})).status).toBe(401);
  });
});
