// The console's routes over HTTP: a request with its timeline and cost, the overview, the catalogue, the settings.

import { afterAll, describe, expect, test } from "bun:test";
import { version } from "../../../package.json" with { type: "json" };
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, startHttpWorld } from "../world/world.ts";

const world = await startHttpWorld({ more: 'log: { keep: 7d }\nquota: { day_starts: "06:30" }' });
const operator = createOperator(world);
afterAll(() => world.stop());

/** The log row of the only request of its own key, once it is written. */
async function logged(body: JsonObject): Promise<JsonObject> {
  const key = await world.newKey({ requests_per_day: null });
  await (await world.chat(body, { secret: key.secret })).text();
  const row = await until("the request is logged", async () => {
    const { body: list } = await operator.get(`/requests?key_id=${key.id}`);
    return asArray(list.data)[0] ?? null;
  });
  return (await operator.get(`/requests/${asObject(row).id}`)).body;
}

describe("a request", () => {
  test("shows its timeline, and its cost line by line", async () => {
    const row = await logged(asking("Acme#dear", "say: good day", { stream: true }));
    expect(row).toMatchObject({ model_tried: "Acme#dear", model_used: "Acme#dear", error: null });
    const timeline = asObject(row.timeline);
    const [attempt, ...more] = asArray(timeline.attempts).map(asObject);
    expect(more).toEqual([]);
    expect(attempt).toMatchObject({
      model: "Acme#dear",
      credential: "key 1",
      outcome: "answered",
      error_code: null,
      upstream_status: null,
      first_token_ms: row.first_token_ms,
    });
    const times = [timeline.admitted_ms, attempt?.start_ms, attempt?.first_token_ms, attempt?.end_ms];
    const inOrder = [0, ...times.map(Number), Number(timeline.end_ms)];
    expect(inOrder.toSorted((a, b) => a - b)).toEqual(inOrder);
    expect(timeline.end_ms).toBe(row.total_ms);
    const cost = asObject(row.cost);
    expect(cost).toMatchObject({ markup: 1, total_usd: row.cost_usd });
    const tokens = asObject(row.tokens);
    expect(cost.lines).toEqual([
      { what: "input", count: tokens.prompt, usd_per_million: 10, usd: (Number(tokens.prompt) * 10) / 1e6 },
      {
        what: "output",
        count: tokens.completion,
        usd_per_million: 50,
        usd: (Number(tokens.completion) * 50) / 1e6,
      },
    ]);
  });

  test("shows every attempt and why it failed", async () => {
    const row = await logged(asking("Acme#late~latency=2700~trouble=503"));
    const attempts = asArray(asObject(row.timeline).attempts).map(asObject);
    expect(
      attempts.map(({ model, outcome, error_code, upstream_status }) => [
        model,
        outcome,
        error_code,
        upstream_status,
      ]),
    ).toEqual([
      ["Acme#late~latency=2700~trouble=503", "failed", "upstream_error", 503],
      ["Acme#cheap", "answered", null, null],
    ]);
    expect(Number(attempts[0]?.end_ms)).toBeLessThanOrEqual(Number(attempts[1]?.start_ms));
  });

  test("without an answer shows the client's error", async () => {
    const row = await logged(asking("OpenAI#sim~trouble=500"));
    expect(row).toMatchObject({
      model_tried: "OpenAI#sim~trouble=500",
      model_used: null,
      status: 502,
      cost: { lines: [], total_usd: 0 },
      error: {
        code: "upstream_error",
        type: "api_error",
        status: 502,
        message:
          "OpenAI failed to answer. The model 'OpenAI#sim~trouble=500' has no fallbacks here: try again, or ask for another model.",
      },
    });
  });

  test("rejected by its provider keeps its words only with the attempt, shortened", async () => {
    const row = await logged(asking("Acme#picky~trouble=400"));
    expect(row.error).toMatchObject({
      code: "upstream_rejected",
      message: "The provider's message is only logged in full if log.content is true.",
      status: 400,
    });
  });
});

test("the log can be filtered, and a wrong filter is explained", async () => {
  await logged(asking("Router#light"));
  for (const filter of [
    "provider=Acme",
    "selector=light",
    "selector=Router%23light",
    "status=ok",
    "ended=done",
  ])
    expect([filter, asArray((await operator.get(`/requests?${filter}`)).body.data).length > 0]).toEqual([
      filter,
      true,
    ]);
  const { body } = await operator.get("/requests?status=error&provider=Acme");
  for (const row of asArray(body.data).map(asObject)) expect(Number(row.status)).toBeGreaterThanOrEqual(400);
  expect((await operator.get("/requests?from=2030-01-01")).body.data).toEqual([]);
  for (const wrong of ["selector=worst", "status=good", "ended=well", "from=soon", "operation=chatting"]) {
    const { status, error } = await operator.get(`/requests?${wrong}`);
    expect([status, error?.param]).toEqual([400, wrong.split("=", 1)[0]]);
  }
});

test("the overview counts requests, also by the hour", async () => {
  await logged(asking("Acme#cheap", "say: one", { stream: true }));
  const { body } = await operator.get("/overview?step=hour&model=Acme%23cheap");
  const totals = asObject(body.totals);
  expect(Number(totals.requests)).toBeGreaterThan(0);
  expect(asObject(totals.first_token_ms)).toHaveProperty("p95");
  const counts = asArray(body.series).map((step) => Number(asObject(step).requests));
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(Number(totals.requests));
});

test("the whole catalogue is shown, with what is enabled and why the rest is not", async () => {
  const { body } = await operator.get("/models");
  const models = asArray(body.data).map(asObject);
  expect(models.length).toBeGreaterThan(300);
  const named = (id: string) => models.find((model) => model.id === id);
  expect(named("Acme#dear")).toEqual({
    id: "Acme#dear",
    provider: "Acme",
    name: "dear",
    owned_by: named("Acme#dear")?.owned_by,
    on: true,
    off_because: null,
    context_window: 8192,
    max_output_tokens: 1024,
    capabilities: ["tools"],
    operations: ["chat"],
    fallbacks: [],
    pricing: { input: 10, output: 50 },
    later_pricing: [],
    kind: null,
    shutdown: null,
    released: null,
    skills_source: "guess",
    skills_benchmark: null,
    skills_date: null,
  });
  expect(models.find(({ provider }) => provider === "DeepSeek")).toMatchObject({
    on: false,
    off_because: "provider_off",
  });
  const ended = models.find(({ id }) => id === "OpenAI#gpt-5.2-codex");
  expect(ended).toMatchObject({ on: false, off_because: "ended", shutdown: "2026-07-23" });
  expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
});

test("the settings are the current ones, without secrets", async () => {
  const { body, text } = await operator.get("/settings");
  expect(body).toMatchObject({
    version,
    store: "sqlite",
    simulated: false,
    quota: {
      requests_per_day: 200,
      day_starts: "06:30",
      time_zone: "UTC",
      scope: "key",
      throttle_ms: 600_000,
    },
    log: { content: false, keep_ms: 7 * 86_400_000 },
    billing: { charge: "beyond_allowance", markup: 1 },
    prices: { as_of: "2026-11-28", changes_waiting: null },
    router: { fair: { quality: expect.any(Number) }, rules: [], explore: 0, preview: false },
    aliases: { house: "Acme#cheap" },
    server: { public_url: null },
  });
  expect(text).not.toContain(world.adminToken);
});
