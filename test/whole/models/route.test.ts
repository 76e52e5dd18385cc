// POST /v1/route and /v1/feedback over HTTP: the selector's choice with its reasons, and what it learns.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { SELECTORS } from "../../../src/core/models/selector.ts";
import type { UnderTest } from "../../harness/harness.ts";
import {
  BODY_LIMIT,
  candidate,
  looked,
  MODELS,
  PAIR,
  post,
  readCandidates,
  removals,
  routed,
  startRouterFixture,
  worded,
} from "../../selectors/fixture.ts";
import { seen } from "../world/observe.ts";
import { until } from "../world/until.ts";

let gateway: UnderTest;
/** Keys that may use two models, and all of `Acme`'s. */
let pair: { secret: string; id: string };
let owner: { secret: string; id: string };
beforeAll(async () => {
  gateway = await startRouterFixture();
  pair = await gateway.newKey({ allowed_models: PAIR, requests_per_day: null });
  owner = await gateway.newKey({ allowed_models: MODELS, requests_per_day: null });
});
afterAll(() => gateway.stop());

describe("what /v1/route answers", () => {
  test.each(SELECTORS)(
    "of Router#%s: lists each candidate, best first, starting with the choice",
    async (selector) => {
      const view = await routed(gateway, worded(selector));
      expect(Object.keys(view)).toEqual(["selector", "choice", "why", "features", "basis", "candidates"]);
      expect(view.selector).toBe(`Router#${selector}`);
      const features = asObject(view.features);
      expect(Object.keys(features)).toEqual(["categories", "difficulty", "output_tokens", "support"]);
      const shares = Object.values(asObject(features.categories)).map(Number);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeWithin(0.8, 1.01);
      expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      for (const share of [features.difficulty, features.support]) expect(share).toBeWithin(0, 1.001);
      expect(features.output_tokens).toBeGreaterThan(0);
      const candidates = readCandidates(view);
      expect(candidates.length).toBeGreaterThan(100);
      for (const one of candidates) {
        const { model, eligible, removed_by, quality, quality_low, ...others } = one;
        const { cost_usd, cost_usd_high, latency_ms, latency_ms_high, score, ...origin } = others;
        const { doubt, source, source_date, changed, why_not, ...more } = origin;
        expect({ ...more, changed }).toEqual({ changed: null });
        if (why_not !== null) expect(why_not).toMatch(/^0\.\d{3} better, /);
        expect(doubt).toBeGreaterThan(0);
        expect(["skills", "benchmark", "guess"]).toContain(String(source));
        expect(typeof source_date).toBe(source === "benchmark" ? "string" : "object");
        expect(Number(cost_usd_high)).toBeGreaterThanOrEqual(Number(cost_usd));
        expect(Number(latency_ms_high)).toBeGreaterThanOrEqual(Number(latency_ms));
        expect({ model, eligible: eligible === (removed_by === null) }).toEqual({ model, eligible: true });
        expect(Number(quality)).toBeWithin(0, 1.001);
        expect(Number(quality_low)).toBeWithin(0, Number(quality) + 0.001);
        const isPriced = removed_by !== "unpriced" && removed_by !== "operation";
        if (isPriced) expect(cost_usd).toBeGreaterThanOrEqual(0);
        if (removed_by === "unpriced") expect(cost_usd).toBeNull();
        expect(latency_ms).toBeGreaterThan(0);
        expect([Number(latency_ms) % 100, Number(latency_ms_high) % 100]).toEqual([0, 0]);
        expect(typeof score).toBe("number");
      }
      const able = candidates.filter(({ eligible }) => eligible === true);
      expect(candidates.slice(0, able.length)).toEqual(able);
      const scores = able.map(({ score }) => Number(score));
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(view.choice).toBe(able[0]?.model);
    },
  );

  test("no speeds of models that the key may not use, and no numbers of labelled prompts", async () => {
    const view = await routed(gateway, worded("best"), pair);
    for (const { model, latency_ms, latency_ms_high } of readCandidates(view)) {
      const isShown = PAIR.includes(String(model));
      expect([model, latency_ms !== null, latency_ms_high !== null]).toEqual([model, isShown, isShown]);
    }
    expect(JSON.stringify(view)).not.toContain('"prompts"');
  });

  test("is the same for the same request", async () => {
    const body = worded("best");
    expect(await routed(gateway, body)).toEqual(await routed(gateway, body));
  });

  const image = { type: "image_url", image_url: { url: "https://x.test/a.png" } };
  const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const file = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } };
  const holding = (part: object) => [
    { role: "user", content: [{ type: "text", text: "What is it?" }, part] },
  ];
  const schema = { name: "a", schema: { type: "object", properties: {} } };
  const needs: readonly (readonly [need: string, more: Record<string, unknown>])[] = [
    ["tools", { tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] }],
    ["vision", { messages: holding(image) }],
    ["audio", { messages: holding(audio) }],
    ["files", { messages: holding(file) }],
    ["structured", { response_format: { type: "json_schema", json_schema: schema } }],
  ];
  test.each(needs)("%s: models without support are excluded, with that reason", async (need, more) => {
    const view = await routed(gateway, { ...worded("fair"), ...more }, owner);
    expect(removals(view)).toMatchObject({ wise: "", short: "", plain: need });
    expect(candidate(view, "Acme#plain").eligible).toBe(false);
    expect(["Acme#wise", "Acme#short"]).toContain(String(view.choice));
  });

  test("tools that can't be called are not required", async () => {
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const view = await routed(gateway, worded("fair", undefined, { tools, tool_choice: "none" }), owner);
    expect(removals(view)).toMatchObject({ plain: "" });
  });

  test("models that are too small for prompt and answer are excluded", async () => {
    const long = await routed(gateway, worded("fair", "What is the sea? ".repeat(1200)), owner);
    expect(removals(long)).toMatchObject({ short: "context", wise: "", plain: "" });
    const asked = await routed(gateway, worded("fair", "What is the sea?", { max_tokens: 5000 }), owner);
    expect(removals(asked)).toMatchObject({ short: "context", wise: "", plain: "" });
    expect(removals(await routed(gateway, worded("fair"), owner))).toMatchObject({ short: "" });
  });

  test("models that are denied, not allowed for the key or without a price are excluded", async () => {
    const view = await routed(gateway, worded("best"), owner);
    expect(removals(view)).toMatchObject({ denied: "denied", priceless: "unpriced", wise: "" });
    expect(candidate(view, "OpenAI#gpt-5.4").removed_by).toBe("not_allowed");
    const limited = await routed(gateway, worded("best"), pair);
    expect(removals(limited)).toMatchObject({ wise: "", plain: "", short: "not_allowed" });
    const free = readCandidates(await routed(gateway, worded("best")));
    expect(free.filter(({ removed_by }) => removed_by === "not_allowed")).toEqual([]);
  });

  test("a failing model is excluded, even from aliases, and never chosen", async () => {
    const broken = "Acme#broken~trouble=500";
    const { secret } = await gateway.newKey({
      allowed_models: [broken, "Acme#wise"],
      requests_per_day: null,
    });
    const body = worded("fair");
    expect(removals(await routed(gateway, body, { secret }))).toMatchObject({ "broken~trouble=500": "" });
    const view = await until("an open breaker", async () => {
      await (await gateway.chat({ ...body, model: broken }, { secret })).text();
      const found = await routed(gateway, body, { secret });
      return removals(found)["broken~trouble=500"] === "unhealthy" ? found : null;
    });
    expect(candidate(view, broken)).toMatchObject({ eligible: false });
    expect(view.choice).toBe("Acme#wise");
    const only = await gateway.newKey({ allowed_models: [broken], requests_per_day: null });
    expect((await routed(gateway, body, only)).choice).toBe(broken);
  });

  test("the choice is null if no model can serve", async () => {
    const { secret } = await gateway.newKey({ allowed_models: ["Acme#pl*"], requests_per_day: null });
    const body = { ...worded("fair"), messages: holding(image) };
    const view = await routed(gateway, body, { secret });
    expect(view.choice).toBeNull();
    expect(removals(view)).toMatchObject({ plain: "vision", wise: "not_allowed" });
    const served = await seen(await gateway.chat(body, { secret }));
    expect([served.status, served.error?.code]).toEqual([400, "unsupported_capability"]);
  });

  test("a pin decides and a rule excludes for its kind of task, with that reason", async () => {
    const view = await routed(gateway, worded("best", "Solve the equation 3x^2 - 12x + 9 = 0."), pair);
    expect(view).toMatchObject({ choice: "Acme#plain", pinned: "math" });
    expect(readCandidates(view)[0]?.model).toBe("Acme#plain");
    expect((await routed(gateway, worded("best"), pair)).choice).toBe("Acme#wise");
    const ruled = await routed(
      gateway,
      worded("best", "Translate to German: the meeting is on Thursday."),
      pair,
    );
    expect(removals(ruled)).toMatchObject({ wise: "rule:language", plain: "" });
  });

  test("x-poundkey-quality trades quality for cost, and its limits are accepted", async () => {
    const costs: number[] = [];
    for (const share of ["1", "0.98", "0.9", "0.5", "0"]) {
      const view = await routed(gateway, worded("fair"), {
        ...pair,
        headers: { "x-poundkey-quality": share },
      });
      costs.push(Number(candidate(view, String(view.choice)).cost_usd));
    }
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(costs[0]).toBeGreaterThan(5 * (costs.at(-1) ?? 0));
    expect((await routed(gateway, worded("fair"), pair)).choice).toBe("Acme#wise");
  });

  test("an alias and any spelling of a selector are equivalent", async () => {
    const names = ["any", "router#light", "ROUTER/light"];
    for (const model of names)
      expect(await routed(gateway, { ...worded("light"), model }, pair)).toMatchObject({
        selector: "Router#light",
      });
  });
});

describe("what /v1/route does not do", () => {
  test("call a provider, take a place or write a row", async () => {
    const { secret, id } = await gateway.newKey({ requests_per_day: 2 });
    const calls = gateway.simulator.calls.total;
    for (const selector of SELECTORS) await routed(gateway, worded(selector), { secret });
    expect(gateway.simulator.calls.total).toBe(calls);
    const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
    expect(asObject(await response.json())).toMatchObject({ allowance: { limit: 2, used: 0, remaining: 2 } });
    expect(await looked(gateway, `/requests?key_id=${id}`)).toMatchObject({ data: [] });
  });

  test("need an allowance or a balance", async () => {
    const paying = await startRouterFixture("billing: { charge: always }");
    try {
      const { secret } = await paying.newKey();
      const refused = await seen(await paying.chat(worded("fair"), { secret }));
      expect([refused.status, refused.error?.code]).toEqual([402, "insufficient_balance"]);
      for (const selector of SELECTORS)
        expect((await routed(paying, worded(selector), { secret })).choice).not.toBeNull();
    } finally {
      await paying.stop();
    }
  });
});

describe("what /v1/route refuses", () => {
  test.each(["Acme#wise", "OpenAI#gpt-5.4", "Local#whatever"])(
    "%s, which is not a selector",
    async (model) => {
      const { status, error } = await post(gateway, "/v1/route", { ...worded("fair"), model });
      expect([status, error?.code, error?.param]).toEqual([400, "invalid_value", "model"]);
      for (const selector of SELECTORS) expect(error?.message).toContain(`Router#${selector}`);
    },
  );

  const good = worded("fair");
  const bodies: readonly (readonly [what: string, body: unknown, headers?: Record<string, string>])[] = [
    ["an empty body", ""],
    ["a list", "[]"],
    ["a cut object", JSON.stringify(good).slice(0, -1)],
    ["65 levels", `{"x":${"[".repeat(65)}${"]".repeat(65)}}`],
    ["no model", { messages: good.messages }],
    ["no messages", { model: good.model }],
    ["no message", { ...good, messages: [] }],
    ["a role that is none", { ...good, messages: [{ role: "king", content: "x" }] }],
    ["a temperature in words", { ...good, temperature: "1" }],
    ["too high a temperature", { ...good, temperature: 2.5 }],
    ["too many choices", { ...good, n: 1000 }],
    ["no token", { ...good, max_tokens: 0 }],
    ["stream options without a stream", { ...good, stream_options: { include_usage: true } }],
    ["a model of nobody", { ...good, model: "Nobody#none" }],
    ["a selector that is none", { ...good, model: "Router#fastest" }],
    ["a body too large", { ...good, user: "x".repeat(BODY_LIMIT) }],
    ["another content type", good, { "content-type": "text/plain" }],
    ["an encoding", good, { "content-encoding": "br" }],
    ["a quality above one", good, { "x-poundkey-quality": "1.01" }],
    ["a quality below nothing", good, { "x-poundkey-quality": "-0.1" }],
    ["a quality in words", good, { "x-poundkey-quality": "high" }],
    ["an empty quality", good, { "x-poundkey-quality": " " }],
    ["no key", good, { authorization: "" }],
    ["a wrong key", good, { authorization: `Bearer sk-${"a".repeat(48)}` }],
  ];
  test.each(bodies)("%s, in the words of chat completions", async (_, body, headers = {}) => {
    const calls = gateway.simulator.calls.total;
    const route = await post(gateway, "/v1/route", body, { headers });
    const chat = await post(gateway, "/v1/chat/completions", body, { headers });
    expect(route.status).toBeWithin(400, 416);
    expect([route.status, route.error]).toEqual([chat.status, chat.error]);
    expect(gateway.simulator.calls.total).toBe(calls);
  });

  test("a selector that the key may not name", async () => {
    const { secret } = await gateway.newKey({ allowed_models: ["Router#fair"] });
    const { status, error } = await post(gateway, "/v1/route", worded("best"), { secret });
    expect([status, error?.code]).toEqual([403, "model_not_allowed"]);
    expect((await routed(gateway, worded("fair"), { secret })).choice).not.toBeNull();
  });

  test("any method but POST", async () => {
    for (const path of ["/v1/route", "/v1/feedback"]) {
      const { status, headers } = await seen(await fetch(`${gateway.url}${path}`));
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    }
  });
});
