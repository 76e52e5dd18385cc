// Answers from the cache on every chat surface, translated and native, whole and streamed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readSums } from "../../whole/world/money-world.ts";
import { until } from "../../whole/world/until.ts";
import { type Got, makeRequest, nameWay, readWords, WAYS, type Way } from "../asked.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());
beforeEach(() => world.simulator.reset());

const ON = { "x-poundkey-cache": "on" };

async function ask(way: Way, prompt: string, headers: Record<string, string> = ON): Promise<Got> {
  const [path, body] = makeRequest(way, prompt);
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function readRow(): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const response = await fetch(`${world.url}/admin/v1/requests?limit=1`, { headers });
  return asObject(asArray(asObject(await response.json()).data)[0]);
}

const calls = () => world.simulator.calls.total;
const state = ({ headers }: Got) => headers.get("x-poundkey-cache");

describe.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", (name, way) => {
  test("the same request gets the same answer, without a call", async () => {
    const prompt = `say: one two three ${name}`;
    const first = await ask(way, prompt);
    expect([first.status, state(first), calls()]).toEqual([200, way.stream ? "miss" : "stored", 1]);
    const { id } = await readRow();
    for (const stream of [way.stream, !way.stream]) {
      const again = await ask({ ...way, stream }, prompt);
      expect([again.status, state(again), calls()]).toEqual([200, "hit", 1]);
      expect(again.headers.get("age")).toMatch(/^\d+$/);
      expect(again.headers.get("x-poundkey-model")).toBe(first.headers.get("x-poundkey-model"));
      expect(readWords(again)).toBe(readWords(first));
      expect(again.text).not.toMatch(/"(cost|charged)": ?0\.0*[1-9]/);
      expect(again.text).not.toContain(String(id));
      expect(await readRow()).toMatchObject({ status: 200, cached_from: id, cost_usd: 0, attempts: 0 });
    }
    await until("nothing is open", async () => readSums(world.directory).holds === 0);
  });
});

const post = async (
  path: string,
  body: unknown,
  headers: Record<string, string> = ON,
  secret = world.secret,
) => {
  const sent = { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers };
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: sent,
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const say = (text: string, more: object = {}) => ({
  model: "Local#sim",
  messages: [{ role: "user", content: `say: ${text}` }],
  ...more,
});
const chat = (body: unknown, headers?: Record<string, string>, secret?: string) =>
  post("/v1/chat/completions", body, headers, secret);
const states = async (bodies: readonly unknown[], headers?: Record<string, string>) => {
  const found: (string | null)[] = [];
  for (const body of bodies) found.push(state(await chat(body, headers)));
  return found;
};

describe("an answer is kept", () => {
  test("only if the key, the alias or the request asks for it, never by Cache-Control alone", async () => {
    for (const control of ["", "max-age=60", "no-cache"])
      expect(await states([say("alone"), say("alone")], { "cache-control": control })).toEqual([null, null]);
    expect(state(await chat(say("alone")))).toBe("stored");
    const { secret } = await world.newKey({ requests_per_day: null, cache: { ttl: "1h" } });
    expect(state(await chat(say("by key"), {}, secret))).toBe("stored");
    expect(state(await chat(say("by key"), {}, secret))).toBe("hit");
  });

  test("never for a key whose setting is 0, whatever its requests ask for", async () => {
    const { secret } = await world.newKey({ requests_per_day: null, cache: { ttl: 0 } });
    for (const headers of [ON, { ...ON, "cache-control": "max-age=60" }])
      expect(state(await chat(say("off for its key"), headers, secret))).toBe("bypass");
    expect(calls()).toBe(2);
  });

  test.each([
    ["another effort", { reasoning_effort: "low" }, { reasoning_effort: "high" }],
    ["another temperature", { temperature: 0 }, { temperature: 1 }],
    ["a field that only some servers know", { top_k: 1 }, { top_k: 2 }],
    ["another seed", { seed: 1 }, { seed: 2 }],
    ["tools in another order of fields", tool({ a: {}, b: {} }), tool({ b: {}, a: {} })],
  ])("but not for %s", async (name, one, other) => {
    expect(await states([say(name, one), say(name, other), say(name, one)])).toEqual([
      "stored",
      "stored",
      "hit",
    ]);
  });

  test("whatever says only whose request it is, and in any order of its fields", async () => {
    const { model, messages } = say("same");
    const other = { metadata: { a: "b" }, user: "me", prompt_cache_key: "k", safety_identifier: "s" };
    const turned = { messages: messages.map(({ role, content }) => ({ content, role })), model };
    expect(await states([say("same"), say("same", other), turned])).toEqual(["stored", "hit", "hit"]);
  });

  test("with its header on every hit, however long it is", async () => {
    const body = say("long ".repeat(3000), { stream: true });
    const first = await chat(body);
    const again = await chat(body);
    expect([state(first), state(again)]).toEqual(["miss", "hit"]);
    expect(readWords(again)).toBe(readWords(first));
    // Not as one lump.
    expect(again.text.split("\n\n").length).toBeGreaterThan(100);
  });

  test("for its account and its person only, or for a namespace", async () => {
    const accountId = await world.newAccount("cached");
    const other = await world.newKey({ requests_per_day: null, account_id: accountId });
    const same = await world.newKey({ requests_per_day: null });
    expect(state(await chat(say("mine")))).toBe("stored");
    expect(state(await chat(say("mine"), ON, same.secret))).toBe("hit");
    expect(state(await chat(say("mine"), ON, other.secret))).toBe("stored");
  });

  test("but not given to a key that may not use its model", async () => {
    const { secret } = await world.newKey({
      requests_per_day: null,
      allowed_models: ["Local#sim", "Router#light"],
    });
    expect(state(await chat(say("allowed")))).toBe("stored");
    expect((await chat(say("allowed"), ON, secret)).status).toBe(200);
  });
});

function tool(properties: object) {
  const parameters = { type: "object", properties };
  return { tools: [{ type: "function", function: { name: "f", parameters } }] };
}

describe("nothing is kept", () => {
  test.each([
    ["of an answer that was cut", say("cut off", { max_tokens: 1 }), {}],
    ["of a request with an Idempotency-Key", say("idempotent"), { "idempotency-key": "one" }],
    ["of a request to store it", say("store", { store: true }), {}],
    ["with no-store", say("no store"), { "cache-control": "no-store" }],
  ])("%s", async (_name, body, headers: Record<string, string>) => {
    expect(state(await chat(body, { ...ON, ...headers }))).toBe("bypass");
    expect(state(await chat(body))).not.toBe("hit");
  });

  test("of an error", async () => {
    const body = { ...say("fail"), model: "Local#sim~trouble=400" };
    expect((await chat(body)).status).toBe(400);
    expect((await chat(body)).headers.get("x-poundkey-cache")).not.toBe("hit");
    expect(calls()).toBe(2);
  });

  test("for a key whose conversations are never stored", async () => {
    const { secret } = await world.newKey({
      requests_per_day: null,
      keep_responses: false,
      cache: { ttl: 60 },
    });
    for (let times = 0; times < 2; times++)
      expect(state(await chat(say("secret"), ON, secret))).toBe("bypass");
  });
});

describe("Cache-Control", () => {
  test("no-cache asks again, and its answer is kept in the place of the other", async () => {
    await chat(say("again"));
    const got = await chat(say("again"), { ...ON, "cache-control": "no-cache" });
    expect([state(got), calls()]).toEqual(["stored", 2]);
    expect(state(await chat(say("again")))).toBe("hit");
  });

  test("max-age bounds the age", async () => {
    await chat(say("old"));
    expect(state(await chat(say("old"), { ...ON, "cache-control": "max-age=60" }))).toBe("hit");
    await until(
      "it is old",
      async () =>
        state(await chat(say("old"), { ...ON, "cache-control": "max-age=0, no-store" })) === "bypass",
    );
  });

  test("only-if-cached asks nobody", async () => {
    const only = { "cache-control": "only-if-cached" };
    const missed = await chat(say("only"), only);
    expect([missed.status, missed.text]).toEqual([504, expect.stringContaining("cache_miss")]);
    expect(calls()).toBe(0);
    await chat(say("only"));
    expect(state(await chat(say("only"), only))).toBe("hit");
    expect(calls()).toBe(1);
  });

  test("a wish that isn't one is refused by name", async () => {
    const got = await chat(say("wish"), { "x-poundkey-cache": "yes" });
    expect([got.status, got.text]).toEqual([400, expect.stringContaining("x-poundkey-cache")]);
  });
});

describe("requests for the same answer at the same time", () => {
  const slow = (text: string, model = "Local#sim~latency=1500") => ({ ...say(text), model });

  test("wait for the first, whole or streamed", async () => {
    const bodies = [1, 2, 3, 4].map((_, at) => ({ ...slow("twins"), stream: at % 2 === 1 }));
    const got = await Promise.all(bodies.map((body) => chat(body)));
    expect(calls()).toBe(1);
    expect(got.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(got.filter((one) => state(one) === "hit").length).toBe(3);
  });

  test("get its answer even if it leaves, and it stops if nobody waits", async () => {
    for (const [twins, ended] of [
      [1, "hit"],
      [0, null],
    ] as const) {
      world.simulator.reset();
      const body = slow(`left with ${twins}`);
      const leaving = new AbortController();
      const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}`, ...ON };
      const sent = { method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal };
      const left = fetch(`${world.url}/v1/chat/completions`, sent).catch(() => null);
      await until("the first is under way", async () => calls() === 1);
      const others = twins === 1 ? [chat(body)] : [];
      await until("the twin waits", async () => readSums(world.directory).holds === 1 + twins);
      leaving.abort();
      await left;
      for (const other of await Promise.all(others)) expect(state(other)).toBe(ended);
      await until("nothing is open", async () => readSums(world.directory).holds === 0);
      expect(calls()).toBe(1);
      if (twins === 0) expect(await readRow()).toMatchObject({ status: 499 });
    }
  });

  test("ask one by one, then all, if the first answers can't be kept", async () => {
    const body = { ...slow("unkept", "Local#sim~latency=100"), max_tokens: 1 };
    const got = await Promise.all([1, 2, 3, 4].map(() => chat(body)));
    expect(got.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(calls()).toBe(4);
  });

  test("wait no longer than their own time limit", async () => {
    const first = chat(slow("patient"));
    await until("the first is under way", async () => calls() === 1);
    const got = await chat(slow("patient"), { ...ON, "x-poundkey-timeout": "0.05" });
    expect(got.status).toBe(504);
    expect(state(await first)).toBe("stored");
  });

  test("are in parallel for their key", async () => {
    const { secret } = await world.newKey({ requests_per_day: null, parallel: 1 });
    const first = chat(slow("parallel"), ON, secret);
    await until("the first is under way", async () => calls() === 1);
    expect((await chat(slow("parallel"), ON, secret)).status).toBe(429);
    await first;
  });
});

test("a hit takes nothing of the day's allowance, and its usage says what it saved", async () => {
  const { secret, id } = await world.newKey({ requests_per_day: 2 });
  expect(state(await chat(say("allowance"), ON, secret))).toBe("stored");
  for (let times = 0; times < 3; times++) expect(state(await chat(say("allowance"), ON, secret))).toBe("hit");
  expect(state(await chat(say("another"), ON, secret))).toBe("stored");
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const usage = await fetch(`${world.url}/admin/v1/usage?key=${id}`, { headers });
  const [sum] = asArray(asObject(await usage.json()).data).map(asObject);
  expect(sum).toMatchObject({ requests: 5, cached: 3 });
});

test("embeddings, rankings, images and moderations are repeated", async () => {
  const asked = [
    ["/v1/embeddings", { model: "OpenAI#sim-embed", input: ["a", "b"] }],
    ["/v1/rerank", { model: "Cohere#sim-rerank", query: "a", documents: ["a", "b"] }],
    ["/v1/images/generations", { model: "OpenAI#sim-image", prompt: "a cat" }],
    ["/v1/moderations", { model: "OpenAI#sim-moderation", input: "a" }],
  ] as const;
  for (const [path, body] of asked) {
    const first = await post(path, body);
    const again = await post(path, body);
    expect([path, first.status, state(first), state(again)]).toEqual([path, 200, "stored", "hit"]);
    expect(again.headers.get("x-poundkey-cost")).toBe("0");
  }
});
