// Refusals over HTTP: rows that name the sender, the model and the rule, the same in the log, and failures that count for a provider.
import { afterAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { asking, startHttpWorld } from "../world/world.ts";

const world = await startHttpWorld({ server: "trusted_proxies: [127.0.0.1]" });
afterAll(() => world.stop());

const isBinary = process.env.POUNDKEY_BINARY !== undefined;

async function admin(path: string, init: RequestInit = {}): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" };
  return asObject(
    parseJson(await (await fetch(`${world.url}/admin/v1${path}`, { ...init, headers })).text()),
  );
}

async function listRefusals(query: Record<string, string>): Promise<readonly JsonObject[]> {
  return asArray((await admin(`/refusals?${new URLSearchParams(query)}`)).data).map(asObject);
}

const from = (address: string) => ({ "x-forwarded-for": address });

describe("a refusal", () => {
  test("by a limit names the key, the limit and the way out, and counts with others of its minute", async () => {
    const key = await world.newKey({ requests_per_day: 0, name: "used-up" });
    // The first one takes the throttle's slot.
    for (let times = 0; times < 4; times++)
      await world.chat(asking("Local#sim"), { secret: key.secret, headers: from("203.0.113.7") });
    const rows = await listRefusals({ key: key.id });
    expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(3);
    expect(rows[0]).toMatchObject({
      key_id: key.id,
      account_id: "default",
      last4: null,
      shape: null,
      model_asked: "Local#sim",
      route: "POST /v1/chat/completions",
      address: "203.0.113.7",
      code: "rate_limit_exceeded",
      status: 429,
      reset_at: expect.any(String),
      way_out: expect.stringContaining("raise the key's requests per day, or wait until 20"),
    });
  });

  test("by a budget has the budget's state", async () => {
    const key = await world.newKey({ budgets: [{ usd: 0, per: "total" }] });
    await world.chat(asking("Acme#cheap"), { secret: key.secret });
    const [row] = await listRefusals({ key_id: key.id, code: "budget_exceeded" });
    expect(row).toMatchObject({
      limit: { scope: "key", kind: "budget", per: "total", limit: 0, used: 0, resets_at: null },
      way_out: "Raise the budget.",
    });
  });

  test("of an unknown secret has its last four characters and its look, never the secret", async () => {
    await world.chat(asking("Local#sim"), { secret: "sk-proj-abcdefghijklmnopqrstuvwxyz-WXYZ" });
    const [row] = await listRefusals({ code: "invalid_api_key" });
    expect(row).toMatchObject({
      key_id: null,
      account_id: null,
      last4: "WXYZ",
      shape: "a provider's key",
      status: 401,
      model_asked: null,
    });
    expect(JSON.stringify([row, isBinary ? null : world.events])).not.toContain("abcdefghijkl");
  });

  test("of a revoked key names the key", async () => {
    const key = await world.newKey({});
    await admin(`/keys/${key.id}`, { method: "DELETE" });
    const answer = await world.chat(asking("Local#sim"), { secret: key.secret });
    expect(await answer.text()).not.toContain(key.id);
    expect(await listRefusals({ key: key.id })).toMatchObject([{ code: "invalid_api_key", last4: null }]);
  });

  test("of a paused key, and from an address that isn't the key's, names the key", async () => {
    const paused = await world.newKey({ paused: true });
    const elsewhere = await world.newKey({ allowed_addresses: ["10.0.0.0/8"] });
    for (const [key, code] of [
      [paused, "key_paused"],
      [elsewhere, "address_not_allowed"],
    ] as const) {
      const headers = { ...from("203.0.113.6"), "x-request-id": `refused-${code}` };
      const answer = await world.chat(asking("Local#sim"), { secret: key.secret, headers });
      expect(await answer.text()).not.toContain(key.id);
      const names = { key_id: key.id, account_id: "default", address: "203.0.113.6", code, status: 403 };
      expect(await listRefusals({ key: key.id, account: "default" })).toMatchObject([
        { ...names, last4: null, shape: null, count: 1 },
      ]);
      if (isBinary) continue;
      const line = world.events.find(({ request_id }) => request_id === `refused-${code}`);
      expect(line).toMatchObject({ event: "refused", ...names });
    }
  });

  test("of a model that doesn't exist names what was asked for", async () => {
    const key = await world.newKey({});
    await world.chat(asking("no-such-model"), { secret: key.secret });
    expect(await listRefusals({ model: "no-such-model" })).toMatchObject([
      { key_id: key.id, code: "model_not_found", status: 404, count: 1 },
    ]);
  });

  test.skipIf(isBinary)("has a log line with the same names", async () => {
    const key = await world.newKey({ parallel: 0 });
    const headers = { ...from("203.0.113.8"), "x-request-id": "refused-one" };
    await world.chat(asking("Local#sim"), { secret: key.secret, headers });
    expect(world.events.find(({ request_id }) => request_id === "refused-one")).toMatchObject({
      event: "refused",
      key_id: key.id,
      account_id: "default",
      model_asked: "Local#sim",
      route: "POST /v1/chat/completions",
      address: "203.0.113.8",
      code: "too_many_parallel_requests",
      limit: { scope: "key", kind: "parallel", limit: 0 },
    });
  });

  test("a filter that doesn't exist is refused by its name", async () => {
    expect(asObject((await admin("/refusals?shape=ours")).error)).toMatchObject({
      code: "unknown_parameter",
      param: "shape",
    });
  });
});

describe("failures belong to someone", () => {
  async function sumUsage(key: string): Promise<readonly string[]> {
    await listRefusals({ key });
    const { data } = await admin(`/usage?group_by=provider,model,outcome&key=${key}`);
    return asArray(data)
      .map(asObject)
      .map(({ provider, model, outcome, requests }) => `${provider} ${model} ${outcome} ${requests}`)
      .toSorted();
  }

  test("in usage, rows and metrics, under the model asked and its provider", async () => {
    const key = await world.newKey({ requests_per_day: 3 });
    const ask = (model: string) => world.chat(asking(model), { secret: key.secret });
    await ask("Acme#cheap");
    expect((await ask("Refused#gpt-made-up")).status).toBe(502);
    expect((await ask("Gone#gpt-made-up")).status).toBeGreaterThanOrEqual(500);
    for (let times = 0; times < 3; times++) await ask("Acme#dear");
    const usage = await sumUsage(key.id);
    expect(usage).toContain("Acme Acme#cheap answered 1");
    expect(usage).toContain("Refused Refused#(unlisted) failed 1");
    expect(usage).toContain("Gone Gone#(unlisted) failed 1");
    expect(usage.some((line) => /^Acme Acme#dear refused [1-3]$/.test(line))).toBe(true);
    const failed = asArray((await admin(`/requests?key=${key.id}&outcome=failed`)).data).map(asObject);
    expect(failed.map(({ provider }) => provider).toSorted()).toEqual(["Gone", "Refused"]);
    const text = await (await fetch(`${world.url}/metrics`)).text();
    expect(text).toMatch(
      /requests_total\{provider="Refused",model="Refused#\(unlisted\)",outcome="failed"\} \d/,
    );
    expect(text).toMatch(/requests_total\{provider="Acme",model="Acme#dear",outcome="refused"\} \d/);
    expect(text).not.toContain('model="none"');
    expect(text).not.toContain("gpt-made-up");
  });
});

describe("where a request came from", () => {
  test("is in its row, and finds it", async () => {
    const key = await world.newKey({});
    const headers = { ...from("203.0.113.9"), "x-session-id": "session-one", "x-request-id": "from-there" };
    await world.chat(asking("Local#sim"), { secret: key.secret, headers });
    const origin = {
      address: "203.0.113.9",
      session: "session-one",
      trace_id: null,
      request_id: "from-there",
    };
    for (const query of ["session=session-one", "address=203.0.113.9", "q=from-there"]) {
      const { data } = await admin(`/requests?key=${key.id}&${query}`);
      expect([query, data]).toMatchObject([query, [{ ...origin, outcome: "answered", provider: "Local" }]]);
    }
  });

  test("a long session is kept as a digest, by which its name is found", async () => {
    const key = await world.newKey({});
    const session = "s".repeat(300);
    await world.chat(asking("Local#sim"), { secret: key.secret, headers: { "session-id": session } });
    const { data } = await admin(`/requests?key=${key.id}`);
    expect(data).toMatchObject([{ session: expect.stringMatching(/^sha256:[0-9a-f]{32}$/) }]);
  });
});

describe("one search", () => {
  const search = async (q: string) =>
    asArray((await admin(`/search?${new URLSearchParams({ q })}`)).data)
      .map(asObject)
      .map(({ type, id, url }) => ({ type, id, url }));

  test("finds every kind of id and name", async () => {
    const key = await world.newKey({ name: "Findable" });
    const headers = { "x-session-id": "find-session", "x-request-id": "find-request" };
    await world.chat(asking("Local#sim"), { secret: key.secret, headers });
    const [row] = asArray((await admin(`/requests?key=${key.id}`)).data).map(asObject);
    const request = { type: "request", id: row?.id, url: `/#/activity/${row?.id}` };
    const keyFound = { type: "key", id: key.id, url: `/#/settings/router/${key.id}` };
    expect(await search(String(row?.id))).toEqual([request]);
    expect(await search("find-request")).toEqual([request]);
    expect(await search("find-session")).toEqual([
      { type: "session", id: "find-session", url: "/#/activity?session=find-session" },
    ]);
    expect(await search(key.id)).toEqual([keyFound]);
    expect(await search("findab")).toEqual([keyFound]);
    expect(await search(key.secret.slice(-4))).toContainEqual(keyFound);
    expect(await search("default")).toContainEqual({
      type: "account",
      id: "default",
      url: "/#/settings/accounts/default",
    });
    expect(await search("acme#che")).toContainEqual({
      type: "model",
      id: "Acme#cheap",
      url: "/#/models/Acme%23cheap",
    });
    expect(await search("house")).toContainEqual({
      type: "alias",
      id: "house",
      url: "/#/activity?model=house",
    });
    expect(await search("hasty")).toContainEqual({
      type: "provider",
      id: "Hasty",
      url: "/#/settings/providers/Hasty",
    });
    expect(await search("nothing-like-this")).toEqual([]);
  });
});
