// Conversations of selectors over four processes that share no memory, on one database: each turn goes to any of them and keeps
// its model. In the long form alone: in one process, four gateways show the same.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { newPlace, type Place, type Serving, startServe } from "../../harness/serve-process.ts";
import type { Asked } from "../../selectors/fixture.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { ACME_KEY, composeAcme, expectStaying } from "../../whole/models/conversing.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";
const PROCESSES = 4;
const CONVERSATIONS = 200;
const AT_ONCE = 16;
const TEST_MS = 60_000;

let database: Databases;
let simulator: Simulator;
let place: Place;
let serving: readonly Serving[] = [];
let nodes: readonly Asked[] = [];

beforeAll(async () => {
  if (!IS_LONG) return;
  database = await useDatabases();
  simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
  const yaml = `server: { admin_token: "${ADMIN_TOKEN}" }
store: "${database.url}"
providers:
${composeAcme(simulator.url)}`;
  const env = { PATH: process.env.PATH ?? "", POUNDKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
  place = { ...newPlace(yaml), env };
  serving = Array.from({ length: PROCESSES }, () => startServe(place, "--port", "0"));
  const urls = await Promise.all(serving.map((one) => one.listens()));
  const made = await fetch(`${urls[0]}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "test", ...ACME_KEY }),
  });
  const secret = String(asObject(await made.json()).secret);
  nodes = urls.map((url) => ({ url, secret }));
}, TEST_MS);

afterAll(async () => {
  if (!IS_LONG) return;
  for (const one of serving) one.end();
  place.remove();
  await simulator.stop();
  await database.remove();
}, TEST_MS);

describe.if(IS_LONG).each(["best", "fair"])("conversations of Router#%s", (selector) => {
  test.each([1, PROCESSES])(
    "keep their model over %p processes",
    async (processes) => {
      const conversed = await expectStaying(selector, nodes.slice(0, processes), CONVERSATIONS, AT_ONCE);
      expect(conversed.turns).toBe(CONVERSATIONS * 5);
      console.log(selector, processes, JSON.stringify(conversed));
    },
    TEST_MS,
  );
});
