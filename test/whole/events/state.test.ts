// State to alert on: a store that fails and a refused reload, at /readyz, in the metrics, in the log and for the console.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { LONG_MS, newPlace, startServe } from "../../harness/serve-process.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const TOKEN = "token-of-the-scraper";

let gateway: UnderTest;
beforeAll(async () => {
  const metrics = `metrics: { token: "${TOKEN}", balances: [Search, Nobody] }`;
  gateway = await startUnderTest({
    more: (url) =>
      `  Wrong: { dialect: gemini, keys: [bad-key], base_url: "${url}/gemini/v1beta", unlisted_models: true }\n${metrics}`,
  });
});
afterAll(() => gateway.stop());

async function scrape(url = gateway.url): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
}

async function readReady(url = gateway.url) {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: asObject(await response.json()) };
}

test(
  "the listed accounts' balances are metrics, and no other's",
  async () => {
    const id = await gateway.newAccount("Search");
    await gateway.newAccount("Secret");
    await gateway.topUp(id, 12.5);
    // A gateway reads them when it starts, and then every 15 s, for which no test waits.
    const other = await gateway.another();
    const text = await until("the balance is shown", async () => {
      const found = await scrape(other.url);
      return found.includes("poundkey_balance_usd") && found;
    });
    await other.stop();
    expect(text).toContain('\npoundkey_balance_usd{account="Search"} 12.5\n');
    expect(text).not.toMatch(/Secret|Nobody/);
  },
  2 * LONG_MS,
);

test("a request's own share, the store's time and the credentials' state are metrics", async () => {
  await (await gateway.chat(asking("OpenAI#sim-mini", "say: hello"))).text();
  const text = await scrape();
  expect(text).toMatch(/\npoundkey_gateway_seconds_count [1-9]/);
  expect(text).toMatch(/\npoundkey_store_seconds_count [1-9]/);
  expect(text).toMatch(/\npoundkey_store_bytes\{part="database"\} [1-9]/);
  expect(text).toMatch(/\npoundkey_store_free_bytes [1-9]/);
  expect(text).toContain("\npoundkey_store_up 1\n");
  expect(text).toContain("\npoundkey_config_ok 1\n");
  expect(text).toContain('\npoundkey_credentials{provider="OpenAI",state="active"} 1\n');
  expect(text).toContain('\npoundkey_credentials{provider="Mistral",state="untried"} 1\n');
});

test(
  "a store that fails says why everywhere, until it works again",
  async () => {
    const file = join(gateway.directory, "poundkey.db");
    renameSync(file, `${file}.away`);
    const refused = await gateway.chat(asking("OpenAI#sim-mini", "say: hello"));
    expect(refused.status).toBe(503);
    const words = "the database file is missing or empty";
    const { status, body } = await readReady();
    expect([status, body.status]).toEqual([503, "not ready"]);
    expect(asArray(body.problems).join()).toContain(`store: ${words}`);
    expect(await scrape()).toContain("\npoundkey_store_up 0\n");
    const { body: listed } = await createOperator(gateway).get("/problems");
    expect(asArray(listed.data).map(asObject)).toEqual([
      { kind: "store", since: expect.any(String), message: `The store fails: ${words}.`, provider: null },
    ]);
    renameSync(`${file}.away`, file);
    await until("it is up", async () => (await scrape()).includes("\npoundkey_store_up 1\n"), LONG_MS);
    expect((await readReady()).status).toBe(200);
    if (BINARY) return;
    const down = gateway.events.find(({ event }) => event === "store_down");
    expect(down).toMatchObject({ level: "error", cause: words });
    expect(gateway.events.some(({ event }) => event === "store_up")).toBe(true);
    const refusal = gateway.events.find(
      ({ event, code }) => event === "refused" && code === "store_unavailable",
    );
    expect(refusal).toMatchObject({ level: "error", cause: words });
  },
  2 * LONG_MS,
);

test(
  "a refused reload is a problem at 200, and a metric, until the file is right again",
  async () => {
    const yaml = (more: string) =>
      `server: { port: 0, admin_token: a-token-of-the-operator }\nproviders: { OpenAI: { keys: [k] } }\nmetrics: { token: ${TOKEN} }\n${more}`;
    const place = newPlace(yaml(""));
    const serving = startServe(place);
    try {
      const url = await serving.listens();
      const operator = createOperator({ url, adminToken: "a-token-of-the-operator" });
      const [started] = await serving.logged("started", 1);
      expect(started).toMatchObject({
        configuration: "poundkey.yaml",
        store: "sqlite",
        providers: ["OpenAI"],
        workers: 1,
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        address: url.slice("http://".length),
      });
      writeFileSync(join(place.directory, "poundkey.yaml"), yaml("quota: { throtle: 10m }\n"));
      await serving.logged("config_refused", 1);
      const { status, body } = await readReady(url);
      expect([status, body.status]).toEqual([200, "ready"]);
      expect(asArray(body.problems).join()).toMatch(/^configuration: .*poundkey\.yaml:4 quota\.throtle/);
      expect(await scrape(url)).toContain("\npoundkey_config_ok 0\n");
      const [problem] = asArray((await operator.get("/problems")).body.data).map(asObject);
      expect(problem).toMatchObject({ kind: "configuration", message: expect.stringContaining("throttle") });
      writeFileSync(join(place.directory, "poundkey.yaml"), yaml("quota: { throttle: 5m }\n"));
      expect((await serving.logged("config_reloaded", 1))[0]).toMatchObject({ changed: ["quota"] });
      expect((await readReady(url)).body).toEqual({ status: "ready" });
      expect(await scrape(url)).toContain("\npoundkey_config_ok 1\n");
      expect((await operator.get("/problems")).body.data).toEqual([]);
    } finally {
      serving.end();
      place.remove();
    }
  },
  2 * LONG_MS,
);

test("a provider that refuses every credential is a problem, before any breaker opens", async () => {
  const operator = createOperator(gateway);
  const listProviders = async () =>
    asArray((await operator.get("/problems")).body.data)
      .map(asObject)
      .filter(({ kind }) => kind === "provider");
  expect(await listProviders()).toEqual([]);
  await (await gateway.chat(asking("Wrong#m", "say: hello"))).text();
  expect(await listProviders()).toMatchObject([
    { message: "Wrong refuses every credential that it is called with." },
  ]);
  // Google answers 400 to a wrong key.
  const wrong = asArray((await operator.get("/providers")).body.data)
    .map(asObject)
    .find(({ name }) => name === "Wrong");
  expect(asObject(asArray(wrong?.credentials)[0]).reason).toBe(
    "the provider refuses the key or says that its credit is used up (400)",
  );
});
