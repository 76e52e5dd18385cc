// The allowance over HTTP: exactly as many requests as it has, the refusals, and which places are given back.
import { afterAll, describe, expect, test } from "bun:test";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { postMany } from "../world/many.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

const PARALLEL = 1000;
const THROTTLE_SECONDS = 2;
const PATIENT_MS = 30_000;

const world = await startHttpWorld();
/** The same with a short throttle, so that slots arrive within a test. */
const quick = await startHttpWorld({
  more: `quota: { requests_per_day: 2, throttle: ${THROTTLE_SECONDS}s }`,
});
afterAll(async () => {
  await world.stop();
  await quick.stop();
});

interface Allowance {
  readonly limit: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly resets_at: string;
  readonly next_slot_at: string | null;
}

async function keyView(at: HttpWorld, secret: string): Promise<Record<string, unknown>> {
  return (await seen(await fetch(`${at.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } })))
    .body;
}

async function allowanceOf(at: HttpWorld, secret: string): Promise<Allowance> {
  return (await keyView(at, secret)).allowance as Allowance;
}

async function chat(at: HttpWorld, secret: string, model = "Local#sim", stream = false): Promise<Seen> {
  return seen(await at.chat(asking(model, "say: a b c d", { stream }), { secret }));
}

describe("the daily allowance", () => {
  test(
    "admits exactly 200 of 1,000 concurrent requests, and the others learn when to retry",
    async () => {
      const { secret } = await world.newKey();
      world.callsSince();
      const answers = await postMany(
        world.url,
        secret,
        Array.from({ length: PARALLEL }, () => asking("Local#sim")),
      );
      const passed = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 429);
      expect([passed.length, refused.length]).toEqual([200, PARALLEL - 200]);
      const remaining = passed.map(({ headers }) => Number(headers["x-ratelimit-remaining-requests"]));
      expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 200 }, (_, at) => 199 - at));
      expect(world.callsSince()).toBe(200);
      for (const { headers, text } of refused) {
        expect(headers["x-should-retry"]).toBe("false");
        expect([headers["x-ratelimit-limit-requests"], headers["x-ratelimit-remaining-requests"]]).toEqual([
          "200",
          "0",
        ]);
        expect(Number(headers["retry-after"])).toBeGreaterThan(0);
        expect(Number(headers["retry-after"])).toBeLessThanOrEqual(600);
        expect(asObject(parseJson(text)).error).toMatchObject({
          type: "rate_limit_error",
          code: "rate_limit_exceeded",
          param: null,
        });
      }
      expect(await allowanceOf(world, secret)).toMatchObject({ limit: 200, used: 200, remaining: 0 });
    },
    PATIENT_MS,
  );

  test("refusals say when the next request is admitted, consistently everywhere", async () => {
    const { secret } = await world.newKey({ requests_per_day: 1 });
    await chat(world, secret);
    const before = Date.now();
    const refused = await chat(world, secret);
    expect(formatLine(refused)).toStartWith("429 rate_limit_error rate_limit_exceeded, retry after ");
    const resetAt = Date.parse(String(refused.error?.reset_at));
    const { next_slot_at: slotAt, resets_at: dayAt } = await allowanceOf(world, secret);
    expect(resetAt).toBe(Math.min(Date.parse(slotAt ?? dayAt), Date.parse(dayAt)));
    const seconds = Number(refused.headers.get("retry-after"));
    // Rounded up, so the place is available at that second, whenever the answer was written.
    expect(before + seconds * 1000).toBeGreaterThanOrEqual(resetAt - 1000);
    expect(Date.now() + seconds * 1000).toBeGreaterThanOrEqual(resetAt);
    expect(refused.headers.get("x-should-retry")).toBe("false");
  });

  test("refuses a stream by status, not by an event", async () => {
    const { secret } = await world.newKey({ requests_per_day: 1 });
    await chat(world, secret);
    const refused = await chat(world, secret, "Local#sim", true);
    expect(refused.stream).toBeNull();
    expect(refused.status).toBe(429);
  });

  test("does not appear in answers to unlimited keys", async () => {
    expect(await allowanceOf(world, world.secret)).toMatchObject({ limit: null, remaining: null });
  });

  test("is not used up by reading it", async () => {
    const { secret } = await world.newKey({ requests_per_day: 5 });
    for (const path of ["/v1/models", "/v1/key", "/v1/models/Router%23best"]) {
      await fetch(world.url + path, { headers: { authorization: `Bearer ${secret}` } });
    }
    expect((await allowanceOf(world, secret)).used).toBe(0);
  });
});

describe("places given back", () => {
  /** Each request, with the number of places it uses permanently. */
  const CASES: readonly (readonly [string, unknown, number])[] = [
    ["an answer", asking("Local#sim"), 1],
    ["a streamed answer", asking("Local#sim", "x", { stream: true }), 1],
    ["an answer with nothing in it", asking("Local#sim~trouble=no-content"), 1],
    ["no JSON", "{", 0],
    ["out of bounds", asking("Local#sim", "x", { n: 0 }), 0],
    ["no such model", asking("Nobody#x"), 0],
    [
      "a capability that the model lacks",
      asking("Acme#maker/model-1", "x", { tools: [{ type: "function", function: { name: "f" } }] }),
      0,
    ],
    ["rejected by the provider", asking("Local#sim~trouble=400"), 0],
    ["failed by the provider", asking("Local#sim~trouble=500"), 0],
    ["refused for load", asking("Local#sim~trouble=429"), 0],
    ["reset", asking("Local#sim~trouble=reset"), 0],
    ["no provider there", asking("Gone#sim"), 0],
    ["failed on every credential", asking("Refused#sim"), 0],
    ["broken before the first piece", asking("Local#sim~trouble=cut~after=0", "x", { stream: true }), 0],
    [
      "broken after the first piece",
      asking("Local#sim~trouble=cut~pace=20", "say: a b c d", { stream: true }),
      1,
    ],
    ["a whole answer that broke off", asking("Local#sim~trouble=cut"), 0],
    ["the fallback's answer", asking("Acme#dear~trouble=500"), 1],
  ];

  test.each(CASES)("%s", async (_name, body, taken) => {
    const { secret } = await world.newKey({ requests_per_day: 5 });
    await seen(await world.chat(body, { secret }));
    expect((await allowanceOf(world, secret)).used).toBe(taken);
  });

  test("among many concurrent requests, only answered ones count", async () => {
    const { secret } = await world.newKey({ requests_per_day: 100 });
    const models = Array.from({ length: 60 }, (_, at) => (at % 2 ? "Local#sim" : "Local#sim~trouble=503"));
    await Promise.all(models.map((model) => chat(world, secret, model)));
    expect((await allowanceOf(world, secret)).used).toBe(30);
  });

  test("a client that leaves while the provider works uses its place", async () => {
    const { secret } = await world.newKey({ requests_per_day: 5 });
    for (const stream of [false, true]) {
      const gone = new AbortController();
      const answer = world.chat(asking("Local#sim~trouble=silent", "x", { stream }), {
        secret,
        signal: gone.signal,
      });
      await until("the provider is called", () => world.simulator.calls.open === 1);
      gone.abort();
      await answer.catch(() => {});
      await until("the call has ended", () => world.simulator.calls.open === 0);
    }
    const ended = await until("the last request is settled", () => lastRequestOf(secret));
    expect(ended).toMatchObject({
      ended: "client_gone",
      usage_source: "estimate",
      tokens: { completion: 0 },
    });
    expect((await allowanceOf(world, secret)).used).toBe(2);
  });

  test("a client whose own time limit passes uses its place", async () => {
    const { secret } = await world.newKey({ requests_per_day: 5 });
    const headers = { "x-poundkey-timeout": "0.5" };
    const answer = await world.chat(asking("Local#sim~trouble=silent"), { secret, headers });
    expect([answer.status, (await answer.json()).error.code]).toEqual([504, "upstream_timeout"]);
    expect((await allowanceOf(world, secret)).used).toBe(1);
  });

  test("provider refusals are given back, at most as many per day as the allowance", async () => {
    const { secret } = await world.newKey({ requests_per_day: 3 });
    const used: number[] = [];
    for (let count = 0; count < 6; count++) {
      await chat(world, secret, "Local#sim~trouble=400");
      used.push((await allowanceOf(world, secret)).used);
    }
    expect(used).toEqual([0, 0, 0, 1, 2, 3]);
    expect((await chat(world, secret, "Local#sim~trouble=400")).status).toBe(429);
  });

  test("requests that could not be sent are always given back", async () => {
    const { secret } = await world.newKey({ requests_per_day: 2 });
    for (let count = 0; count < 5; count++) await chat(world, secret, "Gone#sim");
    expect((await allowanceOf(world, secret)).used).toBe(0);
  });

  test("a client that leaves mid-answer uses its place", async () => {
    const { secret } = await world.newKey({ requests_per_day: 5 });
    const gone = new AbortController();
    const body = asking("Local#sim~trouble=stall", "say: a b c d", { stream: true });
    const response = await world.chat(body, { secret, signal: gone.signal });
    await response.body?.getReader().read();
    gone.abort();
    const ended = await until("the request is settled", () => lastRequestOf(secret));
    expect(ended).toMatchObject({ ended: "client_gone", usage_source: "estimate" });
    expect((await allowanceOf(world, secret)).used).toBe(1);
  });

  async function lastRequestOf(secret: string): Promise<unknown> {
    const { id } = await keyView(world, secret);
    const headers = { authorization: `Bearer ${world.adminToken}` };
    const response = await fetch(`${world.url}/admin/v1/requests?key_id=${id}`, { headers });
    const { data } = (await response.json()) as { data: unknown[] };
    return data[0];
  }
});

describe("the throttle", () => {
  test(
    "admits exactly one request, at the time it announced",
    async () => {
      const { secret } = await quick.newKey();
      await chat(quick, secret);
      await chat(quick, secret);
      const refused = await chat(quick, secret);
      const seconds = Number(refused.headers.get("retry-after"));
      expect([1, THROTTLE_SECONDS]).toContain(seconds);
      await Bun.sleep(seconds * 1000);
      const answers = await Promise.all(Array.from({ length: 5 }, () => chat(quick, secret)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429]);
      const { used, next_slot_at: slotAt } = await allowanceOf(quick, secret);
      expect(used).toBe(2);
      expect(Date.parse(slotAt ?? "")).toBeGreaterThan(Date.now());
    },
    PATIENT_MS,
  );

  test(
    "gets a slot back if no provider answered, and reuses it immediately",
    async () => {
      const { secret } = await quick.newKey();
      await chat(quick, secret);
      const second = await chat(quick, secret);
      expect(second.headers.get("x-ratelimit-remaining-requests")).toBe("0");
      await Bun.sleep(THROTTLE_SECONDS * 1000);
      const failed = await chat(quick, secret, "Local#sim~trouble=500");
      expect(formatLine(failed)).toBe("502 api_error upstream_error");
      expect(formatLine(await chat(quick, secret))).toBe("200 whole");
      expect((await chat(quick, secret)).status).toBe(429);
    },
    PATIENT_MS,
  );
});
