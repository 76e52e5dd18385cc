// Credentials of the configuration, switched off and on at run time: on every node, after a restart, and known by their keys alone.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { type Started, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

/** The simulator accepts any key that isn't bad; these occur nowhere else. */
const FIRST = "first-one-of-the-configuration-CCCC";
const SECOND = "second-one-of-the-configuration-DDDD";
const REFUSED = "bad-key-of-the-configuration-EEEE";
const MODEL = "Filed#sim-mini";

let world: UnderTest;
let operator: Operator;
let own: Simulator;
beforeAll(async () => {
  own = await startSimulator({ port: 0 });
  world = await startUnderTest({ more: writeProviders(`"${FIRST}", "${SECOND}"`) });
  operator = createOperator(world);
});
afterAll(async () => {
  await world.stop();
  await own.stop();
});
beforeEach(async () => {
  for (const { id, state } of await credentialsOf("Filed"))
    if (state === "disabled") await switchTo(String(id), true);
});

function writeProviders(keys: string): string {
  return `  Filed: { dialect: openai, keys: [${keys}], base_url: "${own.url}/openai/v1", unlisted_models: true }
  Listed:
    dialect: openai
    keys: ["${REFUSED}"]
    base_url: "${own.url}/openai/v1"
    models: [{ name: sim-mini, context: 8192, output: 1024, price: { input: 1, output: 2 } }]
  Single: { dialect: openai, keys: ["short"], base_url: "${own.url}/openai/v1", unlisted_models: true }`;
}

function switchTo(id: string, enabled: boolean, provider = "Filed") {
  return operator.patch(`/providers/${provider}`, { credential_id: id, enabled });
}

const signIn = ({ url }: Started) => createOperator({ url, adminToken: world.adminToken });

async function rowOf(name: string, by = operator): Promise<JsonObject> {
  const { body } = await by.get("/providers?all=true");
  return asObject(asArray(body.data).find((one) => asObject(one).name === name));
}

const credentialsIn = (row: JsonObject) => asArray(row.credentials).map(asObject);
const credentialsOf = async (name: string, by = operator) => credentialsIn(await rowOf(name, by));

/** Returns each credential of the provider with its state, in words. */
async function listStates(by = operator): Promise<readonly string[]> {
  return (await credentialsOf("Filed", by)).map(({ id, last4, state }) => `${id} ${last4} ${state}`);
}

async function chat(url: string, model = MODEL): Promise<{ status: number; text: string }> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
  const body = JSON.stringify(asking(model, `say: ${crypto.randomUUID()}`));
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

/** Returns the keys that as many requests are sent on with. */
async function listCalled(url: string, count = 8): Promise<ReadonlySet<string>> {
  const before = own.calls.all().length;
  for (let at = 0; at < count; at++) expect((await chat(url)).status).toBe(200);
  const calls = own.calls.all().slice(before);
  return new Set(calls.map(({ headers }) => String(headers.authorization).replace("Bearer ", "")));
}

describe("a credential of the configuration that is switched off", () => {
  test("isn't called here, soon on no other node, nor by one that starts later, until it is on again", async () => {
    const other = await world.another();
    expect((await switchTo("configured:1", false)).status).toBe(200);
    const off = ["configured:1 CCCC disabled", "configured:2 DDDD active"];
    expect(await listStates()).toEqual(off);
    expect(await listCalled(world.url)).toEqual(new Set([SECOND]));
    const isOffThere = async () => (await listStates(signIn(other))).join() === off.join();
    await until("the other node knows it", isOffThere);
    expect(await listCalled(other.url)).toEqual(new Set([SECOND]));
    await other.stop();
    const later = await world.another();
    expect(await listStates(signIn(later))).toEqual(off);
    expect(await listCalled(later.url)).toEqual(new Set([SECOND]));
    await later.stop();
    expect((await switchTo("configured:1", true)).status).toBe(200);
    expect(await listStates()).toEqual(["configured:1 CCCC active", "configured:2 DDDD active"]);
    expect(await listCalled(world.url, 20)).toEqual(new Set([FIRST, SECOND]));
  });

  test("is still off when it leaves the configuration and comes back at another place", async () => {
    await switchTo("configured:1", false);
    const before = readFileSync(world.configFile, "utf8");
    const listWith = async (keys: string) => {
      await Bun.write(world.configFile, before.replace(`"${FIRST}", "${SECOND}"`, keys));
      const node = await world.another();
      try {
        return { states: await listStates(signIn(node)), called: await listCalled(node.url) };
      } finally {
        await node.stop();
        await Bun.write(world.configFile, before);
      }
    };
    expect(await listWith(`"${SECOND}"`)).toEqual({
      states: ["configured:1 DDDD active"],
      called: new Set([SECOND]),
    });
    expect(await listWith(`"${SECOND}", "${FIRST}"`)).toEqual({
      states: ["configured:1 DDDD active", "configured:2 CCCC disabled"],
      called: new Set([SECOND]),
    });
  });

  test("ends its provider's service if it was the last one, which requests are told, and is still shown", async () => {
    for (const id of ["configured:1", "configured:2"]) expect((await switchTo(id, false)).status).toBe(200);
    const { on, base_url } = await rowOf("Filed");
    expect({ on, base_url }).toEqual({ on: false, base_url: `${own.url}/openai/v1` });
    expect(await listStates()).toEqual(["configured:1 CCCC disabled", "configured:2 DDDD disabled"]);
    const { status, text } = await chat(world.url);
    expect([status, text]).toEqual([
      404,
      expect.stringContaining("All keys for Filed are switched off here."),
    ]);
    expect((await operator.get("/providers")).text).not.toContain("Filed");
    expect((await switchTo("configured:2", true)).body).toMatchObject({ name: "Filed", on: true });
    expect(await listCalled(world.url)).toEqual(new Set([SECOND]));
  });

  test("ends the service of the listed models too, and is tested without showing its key", async () => {
    await switchTo("configured:1", false, "Listed");
    const { status, text } = await chat(world.url, "Listed#sim-mini");
    expect([status, text]).toEqual([
      404,
      expect.stringContaining("All keys for Listed are switched off here."),
    ]);
    const tested = await operator.post("/providers/Listed/test", { credential_id: "configured:1" });
    expect(tested.body).toMatchObject({ ok: false, status: 401, model: "Listed#sim-mini" });
    expect(tested.text).not.toContain(REFUSED);
    await switchTo("configured:1", true, "Listed");
  });

  test("stays off beside one that was added", async () => {
    await switchTo("configured:1", false, "Single");
    const key = "added-one-beside-the-configuration-FFFF";
    const { status, body } = await operator.post("/providers/Single", { key });
    expect(status).toBe(201);
    expect(credentialsIn(body)).toMatchObject([
      { id: "configured:1", source: "configured", state: "disabled", last4: null },
      { source: "stored", state: "active", last4: "FFFF" },
    ]);
    const before = own.calls.all().length;
    expect((await chat(world.url, "Single#sim-mini")).status).toBe(200);
    expect(own.calls.all().at(before)?.headers.authorization).toBe(`Bearer ${key}`);
  });

  /** Returns the last two entries of the audit on this provider, the newest first. Null until the second one is on. */
  async function listSwitched() {
    const { body, text } = await operator.get("/audit?action=provider.changed&limit=2");
    const rows = asArray(body.data).map(asObject);
    const [last] = rows;
    const isThere = asObject(last?.target).name === "Filed" && asObject(last?.after).enabled === true;
    return isThere ? { rows, text } : null;
  }

  test("is on record by its place and its last four characters", async () => {
    await switchTo("configured:1", false);
    await switchTo("configured:1", true);
    const { rows, text } = await until("both are on record", listSwitched);
    const target = { type: "credential", id: "configured:1", name: "Filed" };
    const [on, off] = [true, false].map((enabled) => ({ enabled, last4: "CCCC" }));
    expect(rows).toMatchObject([
      { target, before: off, after: on },
      { target, before: on, after: off },
    ]);
    expect(text).not.toContain(FIRST);
  });

  test("is known to the store without its key, or a digest that others could make of it", async () => {
    await switchTo("configured:1", false);
    const sha256 = new Bun.CryptoHasher("sha256").update(FIRST).digest("hex");
    const files = ["poundkey.db", "poundkey.db-wal"].map((name) => readFileSync(join(world.directory, name)));
    expect(files.some((bytes) => bytes.includes("credentials_off"))).toBe(true);
    for (const word of [FIRST, SECOND, sha256])
      expect(files.some((bytes) => bytes.includes(word))).toBe(false);
  });
});

test.each<[string, JsonObject, number, string]>([
  ["a weight", { weight: 2, enabled: false }, 409, "credential_configured"],
  ["a key", { key: "another-key-of-the-tests-GGGG" }, 409, "credential_configured"],
  ["nothing", {}, 409, "credential_configured"],
  ["a word", { enabled: "no" }, 400, "invalid_type"],
  ["a place that isn't there", { credential_id: "configured:3", enabled: false }, 404, "not_found"],
  ["no place", { credential_id: "configured:one", enabled: false }, 404, "not_found"],
])("a change of it to %s is refused, and changes nothing", async (_, change, status, code) => {
  const answer = await operator.patch("/providers/Filed", { credential_id: "configured:1", ...change });
  expect([answer.status, asObject(answer.body.error).code]).toEqual([status, code]);
  expect(await listStates()).toEqual(["configured:1 CCCC active", "configured:2 DDDD active"]);
});
