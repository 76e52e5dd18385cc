// Provider credentials added, changed, tested and removed at run time: on every node, after a restart, and never shown.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { BINARY, type Started, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { formatLine } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

/** The simulator accepts any key; these occur nowhere else. */
const FIRST = "first-credential-of-the-tests-AAAA";
const SECOND = "second-credential-of-the-tests-BBBB";
const SOON_MS = 10_000;

let world: UnderTest;
let operator: Operator;
let other: Started;
let theirs: Operator;
let own: Simulator;
beforeAll(async () => {
  own = await startSimulator({ port: 0 });
  const yaml = `  Bare: { dialect: openai, keys: ["bad-key"], base_url: "${own.url}/openai/v1", unlisted_models: true }
  Listed:
    dialect: openai
    keys: ["bad-key-that-is-long"]
    base_url: "${own.url}/openai/v1"
    models: [{ name: sim-mini, context: 8192, output: 1024, price: { input: 1, output: 2 } }]`;
  world = await startUnderTest({ more: yaml });
  operator = createOperator(world);
  other = await world.another();
  theirs = createOperator({ url: other.url, adminToken: world.adminToken });
});
afterAll(async () => {
  await other.stop();
  await world.stop();
  await own.stop();
});

async function rowOf(name: string, by = operator): Promise<JsonObject> {
  const { body } = await by.get("/providers?all=true");
  return asObject(asArray(body.data).find((one) => asObject(one).name === name));
}

const credentialsIn = (row: JsonObject) => asArray(row.credentials).map(asObject);

/** The keys used by calls since then. */
const keysSince = (count: number) =>
  own.calls
    .all()
    .slice(count)
    .map(({ headers }) => String(headers.authorization).replace("Bearer ", ""));

async function chat(url: string, model: string): Promise<number> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
  const body = JSON.stringify(asking(model));
  return (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })).status;
}

const added = async (name: string, key: string, more: JsonObject = {}): Promise<JsonObject> => {
  const { status, body } = await operator.post(`/providers/${name}`, { key, ...more });
  expect(status).toBe(201);
  return asObject(credentialsIn(body).find((one) => one.source === "stored"));
};
const remove = (name: string, id: unknown) => operator.delete(`/providers/${name}?credential_id=${id}`);

describe("a credential", () => {
  test("that is added works immediately here, and soon on other nodes", async () => {
    expect(await chat(world.url, "Bare#sim-mini")).toBe(502);
    const one = await added("bare", FIRST, { weight: 2 });
    expect(one).toMatchObject({ source: "stored", enabled: true, last4: "AAAA", weight: 2, state: "active" });
    const before = own.calls.all().length;
    expect(await chat(world.url, "Bare#sim-mini")).toBe(200);
    expect(keysSince(before)).toContain(FIRST);
    await until(
      "the other node knows it",
      async () => credentialsIn(await rowOf("Bare", theirs)).length === 2,
      SOON_MS,
    );
    expect(await chat(other.url, "Bare#sim-mini")).toBe(200);
    await remove("Bare", one.id);
    expect(credentialsIn(await rowOf("Bare"))).toHaveLength(1);
    await until(
      "the other forgets it",
      async () => credentialsIn(await rowOf("Bare", theirs)).length === 1,
      SOON_MS,
    );
  });

  test("can be rotated while in use without any failed request", async () => {
    const one = await added("Bare", FIRST);
    const start = own.calls.all().length;
    const slow = chat(world.url, "Bare#sim-mini~latency=300");
    await until("the slow one is under way", () => keysSince(start).includes(FIRST));
    const changed = await operator.patch("/providers/Bare", { credential_id: one.id, key: SECOND });
    expect(changed.status).toBe(200);
    expect(credentialsIn(changed.body).at(-1)).toMatchObject({ id: one.id, last4: "BBBB" });
    const before = own.calls.all().length;
    const statuses = await Promise.all(Array.from({ length: 5 }, () => chat(world.url, "Bare#sim-mini")));
    expect([await slow, ...statuses]).toEqual(Array(6).fill(200));
    expect(new Set(keysSince(before).filter((key) => key !== "bad-key"))).toEqual(new Set([SECOND]));
    await remove("Bare", one.id);
  });

  test("is not used beyond its own limits until they are lifted", async () => {
    const limits = { requests_per_minute: 2, tokens_per_minute: 1_000_000_000, parallel: 3 };
    const one = await added("Bare", FIRST, limits);
    expect(one).toMatchObject(limits);
    const start = own.calls.all().length;
    const count = () => keysSince(start).filter((key) => key === FIRST).length;
    for (let at = 0; at < 4; at++) await chat(world.url, "Bare#sim-mini");
    expect(count()).toBe(2);
    expect(credentialsIn(await rowOf("Bare")).at(-1)).toMatchObject({ state: "resting" });
    const lifted = { credential_id: one.id, requests_per_minute: null };
    const changed = credentialsIn((await operator.patch("/providers/Bare", lifted)).body).at(-1);
    expect(changed).toMatchObject({ ...limits, requests_per_minute: null });
    expect(await chat(world.url, "Bare#sim-mini")).toBe(200);
    expect(count()).toBe(3);
    await remove("Bare", one.id);
  });

  test.each([`\${PATH}`, `\${file:/etc/hostname}`, `prefix-\${KEY}`])(
    "can't be a reference: %s",
    async (key) => {
      const refused = await operator.post("/providers/Bare", { key });
      expect([refused.status, refused.error?.param]).toEqual([400, "key"]);
      expect(refused.error?.message).toContain("only replaced in the configuration file");
      const one = await added("Bare", FIRST);
      const changed = await operator.patch("/providers/Bare", { credential_id: one.id, key });
      expect([changed.status, changed.error?.param]).toEqual([400, "key"]);
      await remove("Bare", one.id);
    },
  );

  test("can be disabled and enabled again", async () => {
    const one = await added("Bare", FIRST);
    const put = async (enabled: boolean) =>
      credentialsIn((await operator.patch("/providers/Bare", { credential_id: one.id, enabled })).body).at(
        -1,
      );
    expect(await put(false)).toMatchObject({ id: one.id, enabled: false, state: "disabled", last4: "AAAA" });
    expect(await chat(world.url, "Bare#sim-mini")).toBe(502);
    expect(await put(true)).toMatchObject({ enabled: true, state: "active" });
    expect(await chat(world.url, "Bare#sim-mini")).toBe(200);
    await remove("Bare", one.id);
  });

  test("enables its provider", async () => {
    expect(await rowOf("DeepSeek")).toMatchObject({ on: false, models: [], credentials: [] });
    const one = await added("deepseek", FIRST);
    expect((await rowOf("DeepSeek")).on).toBe(true);
    const listed = async () =>
      asArray((await operator.get("/models")).body.data)
        .map(asObject)
        .find(({ provider }) => provider === "DeepSeek");
    expect(await listed()).toMatchObject({ on: true });
    expect(
      (await operator.patch("/providers/DeepSeek", { credential_id: one.id, enabled: false })).body.on,
    ).toBe(false);
    expect(await listed()).toMatchObject({ on: false, off_because: "provider_off" });
    await remove("DeepSeek", one.id);
  });

  test("survives a restart, encrypted in the store", async () => {
    const one = await added("xai", SECOND);
    const late = await world.another();
    try {
      const again = createOperator({ url: late.url, adminToken: world.adminToken });
      expect(await rowOf("xAI", again)).toMatchObject({ on: true });
      expect(credentialsIn(await rowOf("xAI", again))[0]).toMatchObject({ id: one.id, last4: "BBBB" });
    } finally {
      await late.stop();
    }
    for (const file of ["poundkey.db", "poundkey.db-wal"])
      expect(readFileSync(join(world.directory, file)).includes(SECOND)).toBe(false);
    await remove("xAI", one.id);
  });

  test("whose row was moved to another provider is not used", async () => {
    const one = await added("Bare", FIRST);
    const database = new Database(join(world.directory, "poundkey.db"));
    database.run("PRAGMA busy_timeout = 5000");
    database.run("UPDATE credential SET provider = 'Listed' WHERE id = ?", [String(one.id)]);
    await until("it is gone", async () => credentialsIn(await rowOf("Bare")).length === 1, SOON_MS);
    expect(credentialsIn(await rowOf("Listed"))).toHaveLength(1);
    database.run("DELETE FROM credential");
    database.close();
  });
});

describe("testing a credential", () => {
  test("uses exactly that credential", async () => {
    const ask = (body: object) => operator.post("/providers/Listed/test", body);
    const refused = await ask({});
    expect(refused.body).toMatchObject({ ok: false, status: 401, model: "Listed#sim-mini" });
    expect(refused.text).not.toContain("bad-key-that-is-long");
    const one = await added("Listed", FIRST);
    const good = await ask({ credential_id: one.id });
    expect(good.body).toMatchObject({ ok: true, status: 200, error: null });
    expect((await ask({ credential_id: "configured:1" })).body).toMatchObject({ ok: false, status: 401 });
    expect((await ask({ credential_id: "cred_none" })).status).toBe(404);
    await remove("Listed", one.id);
  });

  test("is refused if its provider has no listed model", async () => {
    const { body } = await operator.post("/providers/Bare/test", {});
    expect(body).toMatchObject({ ok: false, status: null, latency_ms: null, model: null });
  });
});

test("a new alias doesn't revive a rejected credential", async () => {
  expect(await chat(world.url, "Bare#sim-mini")).toBe(502);
  const state = async () => credentialsIn(await rowOf("Bare"))[0]?.state;
  expect(await state()).toBe("retired");
  const made = await operator.post("/aliases", { name: "bare", target: "Bare#sim-mini" });
  expect([made.status, await state()]).toEqual([201, "retired"]);
  await operator.delete("/aliases?name=bare");
});

describe("operator mistakes", () => {
  const key = FIRST;
  const of = (id: string, more: object = {}) => ({ credential_id: id, ...more });
  test.each<[string, string, object, string]>([
    ["POST", "Nobody", { key }, "404 invalid_request_error not_found"],
    // The configuration must give its address.
    ["POST", "Azure", { key }, "404 invalid_request_error not_found"],
    ["POST", "Bare", {}, "400 invalid_request_error missing_required_parameter"],
    ["POST", "Bare", { key: "two words" }, "400 invalid_request_error invalid_value"],
    ["POST", "Bare", { key: "" }, "400 invalid_request_error invalid_value"],
    ["POST", "Bare", { key: 1 }, "400 invalid_request_error invalid_type"],
    ["POST", "Bare", { key, weight: 0 }, "400 invalid_request_error invalid_value"],
    ["POST", "Bare", { key, requests_per_minute: 0 }, "400 invalid_request_error invalid_value"],
    ["POST", "Bare", { key, tokens_per_minute: 1e10 }, "400 invalid_request_error invalid_value"],
    ["POST", "Bare", { key, parallel: 0 }, "400 invalid_request_error invalid_value"],
    ["POST", "Bare", { key: "bad-key" }, "400 invalid_request_error invalid_value"],
    ["POST", "Bare", { key, name: "x" }, "400 invalid_request_error unknown_parameter"],
    ["PATCH", "Bare", of("configured:1", { weight: 2 }), "409 invalid_request_error credential_configured"],
    ["PATCH", "Bare", of("configured:2"), "404 invalid_request_error not_found"],
    ["PATCH", "Bare", of("cred_none"), "404 invalid_request_error not_found"],
    ["PATCH", "Bare", of("configured:1", { enabled: "no" }), "400 invalid_request_error invalid_type"],
    ["DELETE", "Bare?credential_id=configured:1", {}, "409 invalid_request_error credential_configured"],
    ["DELETE", "Bare", {}, "400 invalid_request_error missing_required_parameter"],
    ["DELETE", "Bare?credential_id=cred_none", {}, "404 invalid_request_error not_found"],
  ])("%s %s %p", async (method, path, body, expected) => {
    const by = { POST: operator.post, PATCH: operator.patch, DELETE: operator.delete }[method];
    const answer = await by?.(`/providers/${path}`, body);
    expect(answer && formatLine(answer)).toBe(expected);
    expect(answer?.text).not.toContain(FIRST);
  });

  test("a duplicate key is refused", async () => {
    const one = await added("Bare", FIRST);
    const again = await operator.post("/providers/Bare", { key: FIRST });
    expect(formatLine(again)).toBe("400 invalid_request_error invalid_value");
    await remove("Bare", one.id);
  });
});

test.skipIf(BINARY !== undefined)("no log line or metric contains any of it", async () => {
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  const said = `${Bun.inspect(world.events, { depth: 9 })}${metrics}`;
  for (const secret of [FIRST, SECOND, "bad-key-that-is-long"]) expect(said).not.toContain(secret);
});
