// Failing, tiring and recovering providers over HTTP: breakers, credentials, conversations, and hedging.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, readText, type Seen, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const FLAKY = "sim-mini~flaky=6";
const SLOW = "sim-mini~latency=1500";
/** Fails so slowly that all requests are sent before the first failure. */
const BURST = "sim-mini~latency=2000~trouble=500";
const SLOWISH = "sim-mini~latency=400";
/** USD per million tokens. */
const PRICES = { cheap: 1, dear: 50 };

function yaml(url: string): string {
  const base = `dialect: openai, base_url: "${url}/openai/v1"`;
  const priced = (name: string, usd: number) =>
    `{ name: "${name}", context: 8192, output: 2048, price: { input: ${usd}, output: ${usd} } }`;
  const models = (...names: readonly string[]) =>
    `models: [${names.map((name) => priced(name, name.startsWith(SLOW) ? PRICES.dear : PRICES.cheap)).join(", ")}]`;
  return `
  Tired: { ${base}, keys: [sim-key], ${models(FLAKY)} }
  Down: { ${base}, keys: [sim-key], ${models("sim-mini~trouble=500")} }
  Burst: { ${base}, keys: [sim-key], ${models(BURST, `${BURST}~chunks=2`)} }
  Sound: { ${base}, keys: [sim-key], ${models("sim-mini", "sim-fast")} }
  Pair: { ${base}, keys: [bad-key, the-good-key-of-two], unlisted_models: true }
  Rests: { ${base}, keys: ["first-key~trouble=429~retry=4", second-key], unlisted_models: true }
  Twins: { ${base}, keys: [first-of-the-twins, second-of-the-twins], unlisted_models: true }
  Slow: { ${base}, keys: [sim-key], ${models(SLOW, `${SLOW}~chunks=2`, `${SLOW}~chunks=3`, SLOWISH, `${SLOWISH}~chunks=3`)} }
models:
  "Down#sim-mini~trouble=500": { fallbacks: ["Sound#sim-mini"] }
  "Burst#${BURST}": { fallbacks: ["Burst#${BURST}~chunks=2", "Sound#sim-mini"] }
  "Slow#${SLOWISH}": { fallbacks: ["Slow#${SLOW}"], hedge: { after: 100ms, at_most: 100% } }
  "Slow#${SLOWISH}~chunks=3": { fallbacks: ["Slow#${SLOW}~chunks=3"], hedge: { after: 100ms, at_most: 100% } }
  "Slow#${SLOW}": { fallbacks: ["Sound#sim-fast"], hedge: { after: 100ms, at_most: 100% } }
  "Slow#${SLOW}~chunks=2": { fallbacks: ["Sound#sim-fast"], hedge: { after: 100ms, at_most: 50% } }`;
}

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ more: yaml });
});
afterAll(() => gateway.stop());

/** Upstream calls made since the test began. */
let before = 0;
beforeEach(() => {
  before = gateway.simulator.calls.total;
});

const calls = () => gateway.simulator.calls.all().slice(before - gateway.simulator.calls.total);

async function ask(model: string, more: Record<string, unknown> = {}): Promise<Seen> {
  return seen(await gateway.chat(asking(model, "say: good day", more)));
}

async function provider(name: string): Promise<JsonObject> {
  const { body } = await createOperator(gateway).get("/providers");
  return asObject(asArray(body.data).find((row) => asObject(row).name === name));
}

async function model(id: string): Promise<JsonObject> {
  const { models } = await provider(id.slice(0, id.indexOf("#")));
  return asObject(asArray(models).find((row) => asObject(row).id === id));
}

async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((one) => one.startsWith(`${line} `))
      ?.split(" ")
      .at(-1) ?? 0,
  );
}

describe("a circuit breaker", () => {
  const TIRED = `Tired#${FLAKY}`;

  test("opens after a burst of failures, so that requests skip the provider, and recovers by itself", async () => {
    expect(await model(TIRED)).toMatchObject({ breaker: "closed", error_rate: null, asks_again_at: null });
    for (let at = 0; at < 5; at++) expect((await ask(TIRED)).status).toBe(502);
    const refused = await ask(TIRED, { stream: true });
    expect(formatLine(refused)).toBe("503 api_error no_provider_available, retry after 1");
    expect(refused.headers.get("x-poundkey-attempts")).toBeNull();
    expect(calls()).toHaveLength(5);
    expect(await model(TIRED)).toMatchObject({
      breaker: "open",
      in_flight: 0,
      error_rate: 1,
      asks_again_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await provider("Tired")).breaker).toBe("open");
    expect(await metric(`poundkey_breaker_open{model="${TIRED}"}`)).toBe(1);
    // Its sixth call fails too, so the second probe is the first to succeed.
    await until("it heals", async () => (await ask(TIRED)).status === 200, 10_000);
    expect(calls()).toHaveLength(7);
    expect(await model(TIRED)).toMatchObject({ breaker: "closed", asks_again_at: null });
    expect(await metric(`poundkey_breaker_open{model="${TIRED}"}`)).toBe(0);
    for (let at = 0; at < 3; at++) expect((await ask(TIRED)).status).toBe(200);
  }, 300_000);

  test("counts answers that break off, but not clients that leave", async () => {
    const cut = "Local#sim-mini~trouble=cut~pace=5";
    // All at once: failures fade within seconds, and on a slow machine five answers in a row take as long.
    const broken = await Promise.all(Array.from({ length: 5 }, () => ask(cut, { stream: true })));
    for (const one of broken) expect(formatLine(one)).toStartWith("200 then");
    expect((await ask(cut, { stream: true })).status).toBe(503);
    const slow = "Local#sim-mini~latency=2000";
    const headers = { "x-poundkey-timeout": "0.01" };
    const leave = async () => formatLine(await seen(await gateway.chat(asking(slow), { headers })));
    const left = await Promise.all(Array.from({ length: 6 }, leave));
    expect(left).toEqual(Array(6).fill("504 api_error upstream_timeout"));
    expect(await model(slow)).toMatchObject({ breaker: "closed", error_rate: null, in_flight: 0 });
  });

  test("protects from a provider that is down, whether it is named or chosen", async () => {
    const down: Seen[] = [];
    const sound: Seen[] = [];
    const client = async (at: number) => {
      for (let turn = 0; turn < 25; turn++) {
        if (at % 2 === 0) down.push(await ask("Down#sim-mini~trouble=500", { stream: turn % 2 === 0 }));
        else sound.push(await ask("Sound#sim-mini", { stream: turn % 2 === 0 }));
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, at) => client(at)));
    const attempts = (answers: readonly Seen[]) =>
      answers.map(({ headers }) => Number(headers.get("x-poundkey-attempts")));
    expect(new Set(sound.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(attempts(sound))).toEqual(new Set([1]));
    expect(new Set(down.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Math.max(...attempts(down))).toBe(2);
    const failed = calls().filter(({ model }) => model.includes("trouble")).length;
    expect(failed).toBe(attempts(down).filter((count) => count === 2).length);
    expect(failed).toBeLessThan(20);
  });
});

test("if everything fails at once, calls of the failing provider are repeated for a fifth plus ten", async () => {
  const asked = 60;
  const answers = await Promise.all(Array.from({ length: asked }, () => ask(`Burst#${BURST}`)));
  expect(new Set(answers.map(formatLine))).toEqual(new Set(["200 whole"]));
  const failing = calls().filter(({ model: name }) => name.startsWith(BURST)).length;
  expect(failing).toBe(asked + 0.2 * asked + 10);
  expect(await metric("poundkey_retries_refused_total")).toBe(asked - (0.2 * asked + 10));
});

describe("credentials", () => {
  const UNLIMITED = { requests_per_minute: null, tokens_per_minute: null, parallel: null };
  /** Returns the number of calls made with a secret. */
  const callsBy = (secret: string) =>
    calls().filter(({ headers }) => headers.authorization === `Bearer ${secret}`).length;

  test("that are rejected are retired, and the operator sees why", async () => {
    for (let at = 0; at < 12; at++)
      expect((await ask(`Pair#sim-${at % 3}`, { user: `user ${at}` })).status).toBe(200);
    expect(callsBy("bad-key")).toBeLessThanOrEqual(1);
    await until("it has been asked once", async () => {
      await ask("Pair#sim-mini", { user: crypto.randomUUID() });
      return callsBy("bad-key") === 1;
    });
    expect((await provider("Pair")).credentials).toEqual([
      {
        id: "configured:1",
        source: "configured",
        enabled: true,
        last4: null,
        weight: 1,
        price_factor: 1,
        state: "retired",
        until: expect.stringMatching(/Z$/),
        in_flight: 0,
        error_rate: 1,
        called_at: expect.stringMatching(/Z$/),
        ...UNLIMITED,
        reason: "the provider says that the key is invalid (401)",
      },
      {
        id: "configured:2",
        source: "configured",
        enabled: true,
        last4: "-two",
        weight: 1,
        price_factor: 1,
        state: "active",
        until: null,
        in_flight: 0,
        error_rate: 0,
        called_at: expect.stringMatching(/Z$/),
        ...UNLIMITED,
        reason: null,
      },
    ]);
    expect(await metric('poundkey_credentials_retired_total{provider="Pair"}')).toBe(1);
  });

  test("that are rate-limited rest for as long as the provider says, then serve again", async () => {
    const first = "first-key~trouble=429~retry=4";
    await until("it is asked", async () => {
      expect((await ask("Rests#sim-mini", { user: crypto.randomUUID() })).status).toBe(200);
      return callsBy(first) === 1;
    });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask("Rests#sim-mini")));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(callsBy(first)).toBe(1);
    const [credential] = asArray((await provider("Rests")).credentials);
    expect(credential).toMatchObject({
      last4: "ry=4",
      state: "resting",
      until: expect.stringMatching(/Z$/),
    });
    await until("it is asked again", async () => {
      expect((await ask("Rests#sim-mini", { user: crypto.randomUUID() })).status).toBe(200);
      return callsBy(first) === 2;
    });
  }, 300_000);

  test("share the requests, but a conversation stays on one", async () => {
    const users = Array.from({ length: 16 }, (_, at) => `user ${at}`);
    const served = new Map<string, Set<string>>();
    for (const user of [...users, ...users, ...users]) {
      await ask("Twins#sim-mini", { user });
      const secret = String(calls().at(-1)?.headers.authorization);
      served.set(user, (served.get(user) ?? new Set()).add(secret));
    }
    for (const [user, secrets] of served) expect([user, secrets.size]).toEqual([user, 1]);
    expect(new Set([...served.values()].flatMap((secrets) => [...secrets])).size).toBe(2);
  });
});

describe("a hedged attempt", () => {
  test.each([false, true])(
    "answers instead of the slow one, which is ended; streamed: %p",
    async (stream) => {
      const id = `Slow#${SLOW}`;
      const answer = await ask(id, { stream });
      expect([answer.status, readText(answer)]).toEqual([200, "good day"]);
      expect(answer.headers.get("x-poundkey-model")).toBe("Sound#sim-fast");
      expect(answer.headers.get("x-poundkey-attempts")).toBe("2");
      const [slow, fast] = await until("both calls are over", () => {
        const both = calls();
        return both.every(({ ended }) => ended !== null) ? both : null;
      });
      expect([slow?.ended, fast?.ended]).toEqual(["aborted", "finished"]);
      const { body } = await createOperator(gateway).get("/requests?limit=1");
      expect(asArray(body.data)).toMatchObject([{ model_used: "Sound#sim-fast", attempts: 2, status: 200 }]);
      expect(gateway.simulator.calls.open).toBe(0);
      expect(await metric('poundkey_hedges_total{model="Sound#sim-fast",won="second"}')).toBe(stream ? 2 : 1);
      expect(await model(id)).toMatchObject({ breaker: "closed", in_flight: 0, error_rate: null });
    },
  );

  test.each([
    [false, `Slow#${SLOWISH}`],
    [true, `Slow#${SLOWISH}`],
    // Its fallback isn't hedged itself.
    [false, `Slow#${SLOWISH}~chunks=3`],
  ])("loses if the first is faster; streamed: %p, %s", async (stream, id) => {
    const answer = await ask(id, { stream });
    expect(answer.headers.get("x-poundkey-model")).toBe(id);
    expect(answer.headers.get("x-poundkey-attempts")).toBe("2");
    await until("the second is ended", () => gateway.simulator.calls.open === 0);
    expect(calls().map(({ ended }) => ended)).toEqual(["finished", "aborted"]);
  });

  test("is paid for instead of the slow one, by the same hold", async () => {
    const operator = createOperator(gateway);
    const accountId = String((await operator.post("/accounts", { name: "payer" })).body.id);
    await gateway.topUp(accountId, 1);
    const { secret } = await gateway.newKey({ account_id: accountId, requests_per_day: 0 });
    const answer = await seen(await gateway.chat(asking(`Slow#${SLOW}`), { secret }));
    const { charged, prompt_tokens, completion_tokens } = asObject(answer.body.usage);
    const tokens = Number(prompt_tokens) + Number(completion_tokens);
    expect(charged).toBeCloseTo((tokens * PRICES.cheap) / 1e6, 9);
    const journal = asArray(
      (await operator.get(`/accounts/${accountId}/journal?detail=ledger`)).body.data,
    ).map(asObject);
    expect(journal.map(({ kind }) => kind)).toEqual(["post", "hold", "topup"]);
    const { balance_usd: balance, held_usd: held } = (await operator.get(`/accounts/${accountId}`)).body;
    expect([balance, held]).toEqual([1 - Number(charged), 0]);
  });

  test("is limited to its share of the requests", async () => {
    const id = `Slow#${SLOW}~chunks=2`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(id)));
    const by = (name: string) =>
      answers.filter(({ headers }) => headers.get("x-poundkey-model") === name).length;
    expect([by("Sound#sim-fast"), by(id)]).toEqual([5, 5]);
    expect(calls()).toHaveLength(15);
  });
});
