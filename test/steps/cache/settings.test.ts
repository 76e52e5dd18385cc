// The owners of kept answers and their time: people and namespaces, a request's own max-age, a key that changes, and
// requests that wait for an answer.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { PEOPLE } from "../../people/samples.ts";
import { type Ask, signInAs } from "../../people/signed-in.ts";
import { until } from "../../whole/world/until.ts";

const ON = { "x-poundkey-cache": "on" };

let world: UnderTest;
let opened: OpenedStore;
beforeAll(async () => {
  world = await startUnderTest(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});
beforeEach(() => world.simulator.reset());

/** Returns the state of the cache that the answer names, or else its status. */
async function ask(text: string, secret: string, headers: Record<string, string> = ON) {
  const body = { model: "Local#sim", messages: [{ role: "user", content: `say: ${text}` }] };
  const response = await world.chat(body, { secret, headers });
  await response.text();
  return response.headers.get("x-poundkey-cache") ?? response.status;
}

async function change(id: string, fields: JsonObject): Promise<void> {
  const headers = { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" };
  const sent = { method: "PATCH", headers, body: JSON.stringify(fields) };
  const response = await fetch(`${world.url}/admin/v1/keys/${id}`, sent);
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

const calls = () => world.simulator.calls.total;

describe("the personal keys of an account", () => {
  let keys: { ann: Ask; bob: Ask };
  const make = async (person: Ask, name: string) => {
    const { status, body } = await person("POST", "/keys", { name });
    expect(status).toBe(201);
    return { id: asString(body.id) ?? "", secret: asString(body.secret) ?? "" };
  };
  beforeAll(async () => {
    const accountId = await world.newAccount("Team");
    const sign = (id: string) => signInAs({ url: world.url, opened }, id, [{ role: "member", accountId }]);
    keys = { ann: await sign("mem_ann"), bob: await sign("mem_bob") };
  });

  test("don't get each other's answers, but those of their own person's other keys", async () => {
    const ann = await make(keys.ann, "one");
    const annToo = await make(keys.ann, "two");
    const bob = await make(keys.bob, "one");
    expect(await ask("mine", ann.secret)).toBe("stored");
    expect([await ask("mine", bob.secret), calls()]).toEqual(["stored", 2]);
    expect([await ask("mine", annToo.secret), await ask("mine", bob.secret), calls()]).toEqual([
      "hit",
      "hit",
      2,
    ]);
  });

  test("share them in one namespace, and only there", async () => {
    const ann = await make(keys.ann, "shared");
    const bob = await make(keys.bob, "shared");
    // Nobody has used them yet.
    await change(ann.id, { cache: { ttl: "1h", namespace: "team" } });
    await change(bob.id, { cache: { ttl: "1h", namespace: "team" } });
    expect(await ask("ours", ann.secret, {})).toBe("stored");
    expect([await ask("ours", bob.secret, {}), calls()]).toEqual(["hit", 1]);
    await change(bob.id, { cache: { ttl: "1h", namespace: "others" } });
    await until("the other namespace counts", async () => (await ask("ours", bob.secret, {})) === "stored");
    expect(calls()).toBe(2);
  });
});

test("an answer goes after the max-age of the request that kept it", async () => {
  const kept = { ...ON, "cache-control": "max-age=1" };
  expect(await ask("brief", world.secret, kept)).toBe("stored");
  // A request without a max-age takes any answer that is kept.
  await until("it is gone", async () => (await ask("brief", world.secret)) === "stored");
  expect([await ask("brief", world.secret), calls()]).toEqual(["hit", 2]);
});

test("a key's setting counts from when it is changed", async () => {
  const { id, secret } = await world.newKey({ requests_per_day: null });
  const untilIt = (state: string | number) =>
    until(`it says ${state}`, async () => (await ask("by key", secret, {})) === state);
  expect(await ask("by key", secret, {})).toBe(200);
  await change(id, { cache: { ttl: 60 } });
  await untilIt("stored");
  expect(await ask("by key", secret, {})).toBe("hit");
  await change(id, { keep_responses: false });
  await untilIt("bypass");
  await change(id, { keep_responses: true });
  await untilIt("hit");
  await change(id, { cache: null });
  await untilIt(200);
});

test("a key that nothing is left to is refused before anything is looked up for it", async () => {
  const { id, secret } = await world.newKey({ requests_per_day: 1 });
  expect(await ask("left", secret)).toBe("stored");
  const only = { ...ON, "cache-control": "only-if-cached" };
  expect([await ask("left", secret), await ask("never asked", secret, only)]).toEqual([429, 429]);
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const rows = await fetch(`${world.url}/admin/v1/requests?key=${id}`, { headers });
  expect(asArray(asObject(await rows.json()).data).length).toBe(1);
  expect(calls()).toBe(1);
});

test("requests are counted by what became of them in the cache, refused ones aren't", async () => {
  const count = async () => {
    const text = await (await fetch(`${world.url}/metrics`)).text();
    return ["hit", "stored", "miss", "bypass"].map((outcome) => {
      const line = new RegExp(`^poundkey_cache_total\\{outcome="${outcome}"\\} (\\d+)`, "m").exec(text);
      return Number(line?.[1] ?? 0);
    });
  };
  const before = await count();
  const { secret } = await world.newKey({ requests_per_day: 1 });
  expect([await ask("counted", secret), await ask("counted", secret)]).toEqual(["stored", 429]);
  expect(await ask("counted", world.secret)).toBe("hit");
  expect(await ask("counted", world.secret, { ...ON, "cache-control": "no-store, no-cache" })).toBe("bypass");
  expect(await ask("unknown", world.secret, { ...ON, "cache-control": "only-if-cached" })).toBe("miss");
  expect(await ask("uncounted", world.secret, {})).toBe(200);
  const after = await until("they are counted", async () => {
    const counts = await count();
    return (counts[2] ?? 0) > (before[2] ?? 0) ? counts : null;
  });
  expect(after.map((one, at) => one - (before[at] ?? 0))).toEqual([1, 1, 1, 1]);
});

test("a request whose time is up waits for no other's answer: nobody needs that once its own client has left", async () => {
  const { secret, id } = await world.newKey();
  const body = { model: "Local#sim~latency=2000", messages: [{ role: "user", content: "say: in vain" }] };
  const leaving = new AbortController();
  const left = world.chat(body, { secret, headers: ON, signal: leaving.signal }).catch(() => null);
  await until("the first is under way", () => calls() === 1);
  const late = await world.chat(body, { secret, headers: { ...ON, "x-poundkey-timeout": "0.05" } });
  expect(late.status).toBe(504);
  leaving.abort();
  await left;
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const rows = await until("both have ended", async () => {
    const response = await fetch(`${world.url}/admin/v1/requests?key=${id}`, { headers });
    const found = asArray(asObject(await response.json()).data).map(asObject);
    return found.length === 2 ? found : null;
  });
  expect(rows.map(({ status }) => status)).toEqual([504, 499]);
});
