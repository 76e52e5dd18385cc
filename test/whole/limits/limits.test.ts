// Limits over HTTP: what each surface tells of a refusal and of the rest, and how refusals are counted.
import { afterAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { makeRequest } from "../../steps/asked.ts";
import { seen } from "../world/observe.ts";
import { until } from "../world/until.ts";
import { asking, startHttpWorld } from "../world/world.ts";

const CONTACT = "ask #llm-platform";
const DAY_SECONDS = 86_400;
const BOUND_MAX = 1_000_000_000;

const world = await startHttpWorld({ more: `limits: { contact: "${CONTACT}" }` });
afterAll(() => world.stop());

const ways = (["chat", "messages", "responses", "gemini", "interactions"] as const).flatMap((surface) =>
  [false, true].map((stream) => ({ surface, provider: "Acme", stream, native: null })),
);

/** The same question on every surface, and a vector for it. */
const REQUESTS: readonly (readonly [name: string, path: string, body: JsonObject])[] = [
  ...ways.map((way) => {
    const [path, body] = makeRequest(way, "say: hello", "cheap");
    return [`${way.surface}${way.stream ? ", streamed" : ""}`, path, body] as const;
  }),
  ["embeddings", "/v1/embeddings", { model: "OpenAI#text-embedding-3-small", input: "hello" }],
];

async function ask(secret: string, path: string, body: JsonObject) {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${world.url}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Every kind of limit at a size that lets nothing pass. */
const CASES = [
  {
    fields: { budgets: [{ usd: 0, per: "total", models: ["*"] }] },
    code: "budget_exceeded",
    limit: { kind: "budget", per: "total", models: ["*"], limit: 0, used: 0, reserved: 0, resets_at: null },
  },
  {
    fields: { budgets: [{ usd: 0, per: "day" }] },
    code: "budget_exceeded",
    limit: { kind: "budget", per: "day", limit: 0, used: 0, reserved: 0, resets_at: expect.any(String) },
  },
  {
    fields: { spend_limit_usd: 0 },
    code: "budget_exceeded",
    limit: { kind: "budget", per: "total", limit: 0, used: 0, reserved: 0, resets_at: null },
  },
  {
    // The day's budget for free requests is whose the allowance is.
    fields: { requests_per_day: 5 },
    account: { free_budget_usd_per_day: 0 },
    code: "budget_exceeded",
    limit: { kind: "budget", per: "day", limit: 0, used: 0, reserved: 0, resets_at: expect.any(String) },
  },
  {
    fields: { requests_per_minute: 0 },
    code: "requests_per_minute_exceeded",
    limit: { kind: "requests_per_minute", limit: 0, used: 0, reserved: 0 },
  },
  {
    fields: { tokens_per_minute: 0 },
    code: "tokens_per_minute_exceeded",
    limit: { kind: "tokens_per_minute", limit: 0, used: 0, reserved: 0 },
  },
  {
    fields: { model_limits: [{ models: ["*"], requests_per_minute: 0 }] },
    code: "requests_per_minute_exceeded",
    limit: { kind: "requests_per_minute", models: ["*"], limit: 0, used: 0, reserved: 0 },
  },
  {
    fields: { model_limits: [{ models: ["*"], tokens_per_minute: 0 }] },
    code: "tokens_per_minute_exceeded",
    limit: { kind: "tokens_per_minute", models: ["*"], limit: 0, used: 0, reserved: 0 },
  },
  {
    fields: { parallel: 0 },
    code: "too_many_parallel_requests",
    limit: { kind: "parallel", limit: 0, used: 0, reserved: 0 },
  },
] as const;

describe("a refusal", () => {
  for (const { fields, code, limit, ...more } of CASES) {
    test(`by ${JSON.stringify(fields)} says on every surface whose limit it is, which, and whom to ask`, async () => {
      const account_id = await world.newAccount();
      if ("account" in more) await changeAccount(account_id, more.account);
      const own = { account_id, name: "the bot", requests_per_day: null, ...fields };
      const { secret } = await world.newKey(own);
      world.callsSince();
      for (const [name, path, body] of REQUESTS) {
        const { status, headers, text } = await ask(secret, path, body);
        const error = asObject(asObject(parseJson(text)).error);
        expect([name, status]).toEqual([name, 429]);
        expect(error.limit).toMatchObject({ scope: "key", name: "the bot", ...limit });
        expect(error.message).toContain("the key 'the bot'");
        expect(error.message).toContain(CONTACT);
        const isFinal = code === "budget_exceeded";
        expect(headers.get("x-should-retry")).toBe(isFinal ? "false" : null);
        if (isFinal) expect(error.message).toMatch(/^Budget exceeded: .*quota/);
        if (isFinal) expect(headers.get("retry-after")).toBeNull();
        else expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
        expectForm(name, error, code);
      }
      expect(world.callsSince()).toBe(0);
    });
  }

  test("by what requests in flight have reserved says on every surface how much, and to come back", async () => {
    const { secret, ...key } = await world.newKey({
      account_id: await world.newAccount(),
      name: "the bot",
      requests_per_day: null,
      budgets: [{ usd: 1, per: "day" }],
    });
    const first = world.chat(asking("Acme#slow~latency=1100", "say: hello", { max_tokens: 1000 }), {
      secret,
    });
    const readReserved = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      const { limits } = asObject(await (await fetch(`${world.url}/v1/key`, { headers })).json());
      return Number(asObject(Array.isArray(limits) ? limits[0] : null).reserved);
    };
    const reserved = await until("it is in flight", async () => (await readReserved()) || null);
    await changeKey(key.id, { budgets: [{ usd: reserved, per: "day" }] });
    const answers = await Promise.all(
      REQUESTS.map(async ([name, path, body]) => ({ name, ...(await ask(secret, path, body)) })),
    );
    for (const { name, status, headers, text } of answers) {
      const error = asObject(asObject(parseJson(text)).error);
      expect([name, status, headers.get("x-should-retry")]).toEqual([name, 429, null]);
      expect(error.limit).toMatchObject({ kind: "budget", per: "day", limit: reserved, used: 0, reserved });
      expect(error.message).toContain("is reserved by requests in flight");
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
      expectForm(name, error, "budget_reserved");
    }
    expect((await first).status).toBe(200);
    expect((await world.chat(asking("Acme#cheap"), { secret })).status).toBe(200);
  });

  test("of an account names the account", async () => {
    const account_id = await world.newAccount("Search");
    await changeAccount(account_id, { budgets: [{ usd: 0, per: "month" }] });
    const { secret } = await world.newKey({ account_id });
    const { body } = await seen(await world.chat(asking("Acme#cheap"), { secret }));
    const error = asObject(body.error);
    expect(error.limit).toMatchObject({ scope: "account", name: "Search", kind: "budget", per: "month" });
    expect(error.message).toContain("the account 'Search'");
  });
});

/** Checks the fields that a surface's own clients read. */
function expectForm(name: string, error: JsonObject, code: string): void {
  const isRenamed = name.startsWith("responses") && code === "budget_exceeded";
  if (name.startsWith("messages")) expect([error.type, error.reason]).toEqual(["rate_limit_error", code]);
  else if (/^(gemini|interactions)/.test(name)) expectGoogle(error, code);
  else
    expect([error.code, error.reason]).toEqual(isRenamed ? ["insufficient_quota", code] : [code, undefined]);
}

function expectGoogle(error: JsonObject, code: string): void {
  expect([error.code, error.status, error.reason]).toEqual([429, "RESOURCE_EXHAUSTED", code]);
  const [retry, quota] = Array.isArray(error.details) ? error.details.map(asObject) : [];
  const seconds = Number.parseInt(String(retry?.retryDelay), 10);
  const { resets_at } = asObject(error.limit);
  if (code !== "budget_exceeded") expect(seconds).toBeLessThanOrEqual(60);
  else if (resets_at === null) expect(seconds).toBe(DAY_SECONDS);
  else expect(seconds).toBeLessThanOrEqual(DAY_SECONDS);
  expect(seconds).toBeGreaterThan(0);
  expect(quota?.violations).toEqual([{ quotaId: expect.any(String), description: error.message }]);
}

const changeAccount = (id: string, fields: JsonObject) => change(`accounts/${id}`, fields);
const changeKey = (id: unknown, fields: JsonObject) => change(`keys/${id}`, fields);

async function change(path: string, fields: JsonObject): Promise<void> {
  const headers = { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" };
  const init = { method: "PATCH", headers, body: JSON.stringify(fields) };
  expect((await fetch(`${world.url}/admin/v1/${path}`, init)).status).toBe(200);
}

describe("the headers", () => {
  test("tell the day's allowance where there is one, else the minute's limit nearest to its end", async () => {
    const account_id = await world.newAccount();
    await changeAccount(account_id, { requests_per_minute: 20 });
    const limits = { account_id, requests_per_minute: 50, tokens_per_minute: BOUND_MAX };
    for (const [perDay, limit] of [
      [9, "9"],
      [null, "20"],
    ] as const) {
      const { secret } = await world.newKey({ ...limits, requests_per_day: perDay });
      const { status, headers } = await seen(await world.chat(asking("Acme#cheap"), { secret }));
      expect([status, headers.get("x-ratelimit-limit-requests")]).toEqual([200, limit]);
      expect(headers.get("x-ratelimit-limit-tokens")).toBe(String(BOUND_MAX));
      expect(Number(headers.get("x-ratelimit-remaining-tokens"))).toBeLessThan(BOUND_MAX);
      expect(headers.get("x-ratelimit-reset-tokens")).toMatch(/^(\d+[hms])+$|^\d+ms$/);
      expect([...headers.keys()].filter((name) => name.startsWith("anthropic-"))).toEqual([]);
    }
  });

  test("are Anthropic's too on Messages, whole and streamed", async () => {
    const { secret } = await world.newKey({
      requests_per_day: null,
      requests_per_minute: 3,
      tokens_per_minute: 1e6,
    });
    for (const [name, path, body] of REQUESTS.filter(([one]) => one.startsWith("messages"))) {
      const { status, headers } = await ask(secret, path, body);
      expect([name, status]).toEqual([name, 200]);
      for (const kind of ["requests", "tokens"]) {
        for (const part of ["limit", "remaining"]) {
          const theirs = headers.get(`anthropic-ratelimit-${kind}-${part}`);
          expect(theirs).toBe(headers.get(`x-ratelimit-${part}-${kind}`) ?? "missing");
        }
        const reset = Date.parse(headers.get(`anthropic-ratelimit-${kind}-reset`) ?? "");
        expect(reset).toBeGreaterThan(Date.now() - 1000);
        expect(reset).toBeLessThan(Date.now() + 120_000);
      }
    }
  });

  test("tell what refused a request of the minute", async () => {
    const { secret } = await world.newKey({ requests_per_day: null, requests_per_minute: 1 });
    await seen(await world.chat(asking("Acme#cheap"), { secret }));
    const { status, headers } = await seen(await world.chat(asking("Acme#cheap"), { secret }));
    expect([status, headers.get("x-ratelimit-limit-requests")]).toEqual([429, "1"]);
    expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
  });

  test("say nothing of limits where there are none", async () => {
    const { headers } = await seen(await world.chat(asking("Acme#cheap")));
    expect([...headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([]);
  });
});

test("the operator is warned of a key that nothing bounds, until it or its account has a budget", async () => {
  const account_id = await world.newAccount();
  const key = (await world.newKey({ account_id, requests_per_day: null })) as JsonObject;
  const warning = expect.stringContaining("Nothing bounds what this key may spend");
  const readWarnings = async () => {
    const headers = { authorization: `Bearer ${world.adminToken}` };
    return asObject(await (await fetch(`${world.url}/admin/v1/keys/${key.id}`, { headers })).json()).warnings;
  };
  expect(key.warnings).toEqual([warning]);
  expect(await readWarnings()).toEqual([warning]);
  await changeAccount(account_id, { budgets: [{ usd: 50, per: "month" }] });
  expect(await readWarnings()).toBeUndefined();
  expect(await world.newKey({ account_id, requests_per_day: null })).not.toHaveProperty("warnings");
});

test("refusals are counted by kind and scope, and those of the gateway itself aren't", async () => {
  const before = await readRefusals();
  const { secret } = await world.newKey({ requests_per_day: null, parallel: 0 });
  for (let at = 0; at < 3; at++) await seen(await world.chat(asking("Acme#cheap"), { secret }));
  const unknown = await seen(await world.chat(asking("Acme#cheap"), { secret: "sk-wrong" }));
  expect(unknown.status).toBe(401);
  const after = await readRefusals();
  const series = 'poundkey_limit_refusals_total{kind="parallel",scope="key"}';
  expect((after.get(series) ?? 0) - (before.get(series) ?? 0)).toBe(3);
  expect(sumOf(after) - sumOf(before)).toBe(3);
});

async function readRefusals(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith("poundkey_limit_refusals_total{"));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("} ") + 1), Number(line.split("} ")[1])]));
}

function sumOf(series: ReadonlyMap<string, number>): number {
  return [...series.values()].reduce((sum, value) => sum + value, 0);
}

test("the operator sees whose budgets are near their end, until they are raised", async () => {
  const account_id = await world.newAccount("Near");
  const fields = { account_id, requests_per_day: null, budgets: [{ usd: 1, per: "month" }] };
  const { id, secret } = await world.newKey(fields);
  await changeAccount(account_id, { budgets: [{ usd: 1, per: "day" }] });
  const chat = () => world.chat(asking("Acme#cheap"), { secret });
  expect((await chat()).status).toBe(200);
  expect(await listNearing(account_id)).toEqual([]);
  const headers = { authorization: `Bearer ${secret}` };
  const { limits } = asObject(await (await fetch(`${world.url}/v1/key`, { headers })).json());
  const used = Number(asObject(Array.isArray(limits) ? limits[0] : null).used);
  // The next request's worst case still fits, and a tenth is left after it.
  await changeKey(id, { budgets: [{ usd: used * 500, per: "month" }] });
  await changeAccount(account_id, { budgets: [{ usd: used * 2.2, per: "day", hard: false }] });
  expect((await chat()).status).toBe(200);
  expect(await listNearing(account_id)).toMatchObject([{ scope: "account", id: account_id, name: "Near" }]);
  await changeKey(id, { budgets: [{ usd: used * 2.1, per: "month", hard: false }] });
  expect((await chat()).status).toBe(200);
  expect(await listNearing(account_id)).toMatchObject([{ scope: "key", id }, { scope: "account" }]);
  await changeAccount(account_id, { budgets: [{ usd: 1, per: "day" }] });
  expect(await listNearing(account_id)).toMatchObject([{ scope: "key", id, limit: { per: "month" } }]);
});

async function listNearing(accountId: string): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const { data } = asObject(await (await fetch(`${world.url}/admin/v1/nearing`, { headers })).json());
  return Array.isArray(data) ? data.filter((one) => asObject(one).account_id === accountId) : [];
}
