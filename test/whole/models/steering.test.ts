// Demands of requests and aliases on the choice of a model (ceilings of cost and time, lists of models), and the reason
// for a choice.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import {
  candidate,
  looked,
  post,
  readCandidates,
  removals,
  routed,
  startRouterFixture,
  worded,
} from "../../selectors/fixture.ts";
import { createOperator, type Operator } from "../world/operator.ts";

const POLICIES = `
billing: { charge: always, markup: 1.5 }`;

let gateway: UnderTest;
let operator: Operator;
beforeAll(async () => {
  gateway = await startRouterFixture(POLICIES);
  operator = createOperator(gateway);
  const accounts = await looked(gateway, "/accounts");
  const [account] = readList(accounts);
  await operator.post(`/accounts/${account?.id}/topups`, { amount_usd: 100 });
});
afterAll(() => gateway.stop());

function readList(page: JsonObject): readonly JsonObject[] {
  return Array.isArray(page.data) ? page.data.map(asObject) : [];
}

const chat = (body: unknown, headers: Record<string, string> = {}) =>
  post(gateway, "/v1/chat/completions", body, { headers });
const named = (model: string, more: JsonObject = {}) => ({ ...worded("best", undefined, more), model });

async function costOf(model: string): Promise<number> {
  return Number(candidate(await routed(gateway, worded("best")), model).cost_usd);
}

async function findRow(id: unknown): Promise<JsonObject> {
  return looked(gateway, `/requests/${id}`);
}

describe("x-poundkey-allow", () => {
  test("limits a selector to models that match a pattern", async () => {
    const headers = { "x-poundkey-allow": "acme#pl*, Acme#sh*" };
    const view = await routed(gateway, worded("best"), { headers });
    expect(view.choice).toBe("Acme#plain");
    expect(removals(view)).toMatchObject({ wise: "not_allowed", plain: "", short: "" });
    const answer = await chat(worded("best"), headers);
    expect([answer.status, answer.headers.get("x-poundkey-model")]).toEqual([200, "Acme#plain"]);
  });

  test("that fits no model is refused", async () => {
    const answer = await chat(worded("fair"), { "x-poundkey-allow": "Nobody#*" });
    expect([answer.status, answer.error?.code]).toEqual([400, "unsupported_capability"]);
    expect(answer.error?.message).toContain("not_allowed");
  });

  test("may have many stars", async () => {
    const headers = { "x-poundkey-allow": `${"*a".repeat(140)}b` };
    expect((await chat(worded("fair"), headers)).status).toBe(400);
  });

  test.each([",", "a b", "x".repeat(301), Array.from({ length: 51 }, (_, at) => `m${at}`).join()])(
    "is refused if malformed: %p",
    async (allow) => {
      const answer = await chat(worded("fair"), { "x-poundkey-allow": allow });
      expect([answer.status, answer.error?.param]).toEqual([400, "x-poundkey-allow"]);
    },
  );
});

describe("x-poundkey-max-cost", () => {
  test("removes models that are predicted to cost more", async () => {
    const ceiling = (await costOf("Acme#wise")) / 2;
    const headers = { "x-poundkey-max-cost": String(ceiling) };
    const view = await routed(gateway, worded("best"), { headers });
    expect(removals(view)).toMatchObject({ wise: "max_cost", plain: "" });
    expect(Number(candidate(view, String(view.choice)).cost_usd)).toBeWithin(0, ceiling);
  });

  test("is compared with what the client would pay", async () => {
    const { cost_usd: cost } = candidate(await routed(gateway, worded("best")), "Acme#wise");
    const { body } = await chat(worded("best"));
    const [logged] = readCandidates(asObject((await findRow(body.id)).decision));
    expect(logged?.model).toBe("Acme#wise");
    expect(Number(cost) / Number(logged?.cost_usd)).toBeGreaterThan(1.25);
    const headers = { "x-poundkey-max-cost": String((1.2 * Number(cost)) / 1.5) };
    expect(removals(await routed(gateway, worded("best"), { headers }))).toMatchObject({ wise: "max_cost" });
    expect((await chat(worded("best"), headers)).headers.get("x-poundkey-why")).not.toStartWith("wise: ");
  });

  test("that nothing meets is refused, naming the cheapest", async () => {
    const answer = await chat(worded("best"), { "x-poundkey-max-cost": "0.00000001" });
    expect([answer.status, answer.error?.code]).toEqual([400, "unsupported_capability"]);
    expect(answer.error?.message).toMatch(/The cheapest, '[^']+', would cost about 0\.\d+ USD/);
  });

  test("passes over the same models in routes and requests whose worst case doesn't fit", async () => {
    const body = worded("best", `Put this in a word: ${"lorem ipsum dolor sit amet ".repeat(2000)}`);
    const usual = await routed(gateway, body);
    const ceiling = Number(candidate(usual, "Acme#wise").cost_usd) * 1.1;
    expect(usual.choice).toBe("Acme#wise");
    for (const [models, other] of [
      ["Acme#wise,Acme#plain", "Acme#plain"],
      ["Acme#wise", null],
    ] as const) {
      const headers = { "x-poundkey-max-cost": String(ceiling), "x-poundkey-allow": models };
      const view = await routed(gateway, body, { headers });
      expect([view.choice, removals(view).wise]).toEqual([other, "max_cost"]);
      const answer = await chat(body, headers);
      expect([answer.status, answer.headers.get("x-poundkey-model")]).toEqual([other ? 200 : 400, other]);
      expect(view.why).toBe(answer.headers.get("x-poundkey-why"));
    }
  });

  test.each(["Acme#wise", "any", "house"])("bounds what is held and charged for %s", async (model) => {
    const ceiling = 0.03;
    if (model === "house")
      await operator.post("/aliases", { name: "house", target: [{ model: "Acme#wise" }] });
    const answer = await chat(named(model, { max_tokens: 4000 }), { "x-poundkey-max-cost": String(ceiling) });
    expect(answer.status).toBe(200);
    const row = await findRow(answer.body.id);
    expect(Number(row.hold_usd)).toBeWithin(0, ceiling + 1e-12);
    expect(Number(row.charged_usd)).toBeWithin(0, ceiling + 1e-12);
    if (model !== "any") expect(Number(row.hold_usd)).toBeGreaterThan(ceiling / 2);
  });

  test("that a plainly named model can't meet is refused, naming what it may cost", async () => {
    const answer = await chat(named("Acme#wise"), { "x-poundkey-max-cost": "0.0001" });
    expect([answer.status, answer.error?.code]).toEqual([400, "unsupported_capability"]);
    expect(answer.error?.message).toMatch(/'Acme#wise', may cost 0\.\d+ USD/);
  });

  test.each(["0.0001", "0.00000001"])("recommends only models that meet %p", async (ceiling) => {
    const headers = { "x-poundkey-max-cost": ceiling };
    const answer = await chat(named("Acme#wise"), headers);
    const message = String(answer.error?.message);
    const [, list = ""] = /Models that accept it: (.*)\.$/.exec(message) ?? [];
    const models = [...list.matchAll(/'([^']+)'/g)].map(([, id = ""]) => id);
    for (const id of models) expect([id, (await chat(named(id), headers)).status]).toEqual([id, 200]);
    if (models.length === 0) expect(message).toMatch(/No model .* within its maximum cost\.$/);
    expect(models.length > 0).toBe(ceiling === "0.0001");
  });

  test.each(["-1", "much", ""])("is refused if it is no amount: %p", async (given) => {
    const answer = await chat(worded("fair"), { "x-poundkey-max-cost": given });
    expect([answer.status, answer.error?.param]).toEqual([400, "x-poundkey-max-cost"]);
  });
});

describe("x-poundkey-max-ms", () => {
  test("removes models that are predicted to take longer, and names the fastest if none is left", async () => {
    const view = await routed(gateway, worded("best"));
    const times = readCandidates(view).flatMap((one) => (one.eligible ? Number(one.latency_ms) : []));
    const least = Math.min(...times);
    const most = Math.max(...times);
    expect(least).toBeLessThan(most);
    const headers = { "x-poundkey-max-ms": String(most - 1) };
    const within = await routed(gateway, worded("best"), { headers });
    expect(readCandidates(within).some((one) => one.removed_by === "max_ms")).toBe(true);
    expect(readCandidates(within).every((one) => !one.eligible || Number(one.latency_ms) < most)).toBe(true);
    const refused = await chat(worded("light"), { "x-poundkey-max-ms": "1" });
    expect(refused.status).toBe(400);
    expect(refused.error?.message).toMatch(/The fastest, '[^']+', would take about \d+ ms; the most is 1\./);
  });
});

describe("an alias with a policy", () => {
  const target = {
    selector: "best",
    allow: ["Acme#*"],
    deny: ["*#wi*"],
    max_cost_usd: 0.02,
    max_ms: 60_000,
  };

  test("steers every request by its name, in routes too", async () => {
    const made = await operator.post("/aliases", { name: "cheap", target });
    expect([made.status, made.body.target]).toEqual([201, target]);
    const view = await routed(gateway, named("cheap"));
    expect([view.selector, view.choice]).toEqual(["Router#best", "Acme#plain"]);
    expect(removals(view)).toMatchObject({ wise: "not_allowed", plain: "" });
    const others = readCandidates(view).filter(({ model }) => !String(model).startsWith("Acme#"));
    expect(others.every(({ removed_by }) => removed_by === "not_allowed")).toBe(true);
    const answer = await chat(named("cheap", { max_tokens: 4000 }));
    expect([answer.status, answer.headers.get("x-poundkey-selector")]).toEqual([200, "Router#best"]);
    expect(Number((await findRow(answer.body.id)).hold_usd)).toBeWithin(0, 0.02 + 1e-12);
    const stricter = await chat(named("cheap"), { "x-poundkey-allow": "Acme#wise" });
    expect(stricter.status).toBe(400);
    const listed = readList(await looked(gateway, "/aliases")).find(({ name }) => name === "cheap");
    expect(listed).toMatchObject({ target });
  });

  test.each([
    { selector: "worst" },
    { selector: "best", allow: [] },
    { selector: "best", max_ms: 0 },
    { selector: "best", quality: 2 },
    { selector: "best", price: 1 },
  ])("is refused if it isn't valid: %j", async (wrong) => {
    expect((await operator.post("/aliases", { name: "wrong", target: wrong })).status).toBe(400);
  });
});

describe("the reason for a choice", () => {
  test.each(["best", "fair", "light"])(
    "of Router#%s is a sentence of ASCII in a header, route and log",
    async (selector) => {
      const answer = await chat(worded(selector));
      const why = answer.headers.get("x-poundkey-why");
      expect(why).toMatch(/^[\x20-\x7e]{10,200}$/);
      // Any provider's model may be the choice: times are measured, and a busy machine makes ours slow.
      const nameOf = (model: unknown) => String(model).replace(/^[^#]+#/, "");
      expect(why).toStartWith(`${nameOf(answer.headers.get("x-poundkey-model"))}: `);
      // Times are measured again with each answer, so that another model may be the choice of a busy machine.
      const view = await routed(gateway, worded(selector));
      expect(view.why).toMatch(/^[\x20-\x7e]{10,200}$/);
      expect(view.why).toStartWith(`${nameOf(view.choice)}: `);
      expect(asObject((await findRow(answer.body.id)).decision).why).toBe(why);
      const better = readCandidates(view).filter(
        (one) => one.eligible && Number(one.quality) > Number(candidate(view, String(view.choice)).quality),
      );
      for (const one of better) expect(one.why_not).toMatch(/^0\.\d{3} better, /);
    },
  );

  test("names the model that answered in place of the choice", async () => {
    const { choice } = await routed(gateway, worded("best"));
    const { secret } = await gateway.newKey({ budgets: [{ usd: 0, per: "total", models: [choice] }] });
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await post(gateway, "/v1/chat/completions", worded("best"), { headers });
    const model = answer.headers.get("x-poundkey-model");
    expect([answer.status, model === choice]).toEqual([200, false]);
    expect(answer.headers.get("x-poundkey-why")).toEndWith(`; answered by ${model} in its place`);
  });

  test("isn't given if the model was named", async () => {
    expect((await chat(named("Acme#plain"))).headers.has("x-poundkey-why")).toBe(false);
  });
});
