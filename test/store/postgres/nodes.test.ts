// Many nodes on one PostgreSQL, or on the Citus cluster in CITUS_URL: limits and balances stay exact across processes,
// dead nodes' requests are resolved and living nodes' left alone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import type { Store } from "../../../src/core/store.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { decideByDemand, give, ledgerOn, makeAccount, makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors } from "../../ledger/payments.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { startDatabases } from "../citus/database.ts";
import { type GatewayProcess, operate, post, startGatewayProcess } from "../nodes/gateway.ts";
import { type Job, type Node, PATIENCE_MS, startNode } from "../nodes/node.ts";

const NODES = 4;
const LONG_MS = 60_000;
/** The product promises 20 s. A busy machine gets more. */
const RESOLVED_MS = 40_000;
const COST = 1_000;
const UNAVAILABLE = 503;
const ASKED = {
  model: "OpenAI#gpt-5.4",
  max_tokens: 50,
  messages: [{ role: "user", content: "say: hello" }],
};

const server = await startDatabases();
afterAll(() => server.remove());

function job(fields: Pick<Job, "name" | "keyId" | "times"> & Partial<Job>): Job {
  return { atOnce: fields.times, isPaid: false, costNanoUsd: COST, settles: true, ...fields };
}

describe("four nodes", () => {
  let nodes: readonly Node[] = [];
  let ids: readonly string[] = [];
  let store: Store;
  let buried: Promise<{ readonly resolvedMs: number; readonly left: readonly string[] }>;

  beforeAll(async () => {
    // All start at the same moment on an empty database, so each tries to create the schema.
    nodes = Array.from({ length: NODES }, () => startNode(server.url));
    ids = await Promise.all(nodes.map(({ id }) => id));
    store = await openPostgresStore({ url: server.url, decide: decideByDemand, patienceMs: PATIENCE_MS });
    // The others' death shows as silence, which takes time. The other tests run meanwhile.
    buried = bury();
    buried.catch(() => {});
  }, LONG_MS);
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.end()));
    await store.close();
  });

  async function keyWith(id: string, nanoUsd: number): Promise<string> {
    await unrecorded(store).addAccount(makeAccount(`of ${id}`));
    await unrecorded(store).addKey(makeKey(id, { accountId: `of ${id}` }), `digest of ${id}`);
    if (nanoUsd > 0) await give(store, `of ${id}`, nanoUsd);
    return `of ${id}`;
  }

  /** Every node does the job at the same moment. */
  async function all(one: Job) {
    const counts = await Promise.all(nodes.map((node) => node.run(one)));
    const sum = (field: "granted" | "refused" | "failed") =>
      counts.reduce((total, count) => total + count[field], 0);
    const tookMs = Math.max(...counts.map((count) => count.tookMs));
    return { granted: sum("granted"), refused: sum("refused"), failed: sum("failed"), tookMs };
  }

  /** Kills a node that has a hold, beside a living one that has one. */
  async function bury() {
    const account = await keyWith("key_held", 10 * COST);
    const victim = startNode(server.url);
    const held = job({ name: "held", keyId: "key_held", times: 3, isPaid: true, settles: false });
    expect(await victim.run(held)).toMatchObject({ granted: 3 });
    expect(await nodes[0]?.run(held)).toMatchObject({ granted: 3 });
    await victim.kill();
    const diedMs = performance.now();
    const free = async () => (await store.account(account))?.balanceNanoUsd === 7 * COST;
    await until("the dead node's holds are resolved", free, LONG_MS);
    const resolvedMs = performance.now() - diedMs;
    const lost = await store.requests({ accountId: account }, { limit: 9, after: null });
    return { resolvedMs, left: lost.map(({ ended }) => ended) };
  }

  test("create one schema, and each has its own id", () => {
    expect(new Set(ids).size).toBe(NODES);
  });

  test(
    "admit exactly 200 of 1,000",
    async () => {
      const account = await keyWith("key_places", 0);
      const key = { ...makeKey("key_places"), accountId: account };
      const counts = await all(job({ name: "places", keyId: "key_places", times: 250, atOnce: 10 }));
      expect(counts).toMatchObject({ granted: 200, refused: 800, failed: 0 });
      expect((await ledgerOn(store).allowance(key)).used).toBe(200);
      expect((await store.requests({ keyId: key.id }, { limit: 500, after: null })).length).toBe(200);
    },
    LONG_MS,
  );

  test(
    "admit exactly those of 10,000 that the last cent covers",
    async () => {
      const account = await keyWith("key_cent", 777 * COST + COST - 1);
      const cent = job({ name: "cent", keyId: "key_cent", times: 2_500, isPaid: true, settles: false });
      const { tookMs, ...counts } = await all(cent);
      expect(counts).toEqual({ granted: 777, refused: 9_223, failed: 0 });
      expect(await store.account(account)).toMatchObject({
        balanceNanoUsd: COST - 1,
        heldNanoUsd: 777 * COST,
      });
      console.log(
        `the last cent: ${Math.round(10_000 / (tookMs / 1000))} admissions a second by ${NODES} nodes`,
      );
    },
    LONG_MS,
  );

  test(
    "charge one account together, as fast as its lock allows",
    async () => {
      const account = await keyWith("key_hot", 10_000 * COST);
      const { tookMs, ...counts } = await all(
        job({ name: "hot", keyId: "key_hot", times: 1_000, isPaid: true }),
      );
      expect(counts).toEqual({ granted: 4_000, refused: 0, failed: 0 });
      expect(await store.account(account)).toMatchObject({ balanceNanoUsd: 6_000 * COST, heldNanoUsd: 0 });
      console.log(`one hot account: ${Math.round(4_000 / (tookMs / 1000))} paid requests a second`);
    },
    LONG_MS,
  );

  describe("as whole gateways", () => {
    let simulator: Simulator;
    let url: string;
    let gateways: readonly GatewayProcess[] = [];
    let addresses: readonly string[] = [];

    beforeAll(async () => {
      simulator = await startSimulator({ port: 0 });
      url = await server.newDatabase();
      const options = { store: url, simulatorUrl: simulator.url, more: "billing: { charge: always }" };
      gateways = Array.from({ length: NODES }, () => startGatewayProcess(options));
      addresses = await Promise.all(gateways.map((gateway) => gateway.url));
      await operate(first(), "/accounts/default/topups", { amount_usd: 5 });
    }, LONG_MS);
    afterAll(async () => {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await simulator.stop();
    }, LONG_MS);

    const first = () => addresses[0] ?? "";
    const chat = (address: string, secret: unknown, more: object = {}, headers = {}) =>
      post(`${address}/v1/chat/completions`, String(secret), { ...ASKED, ...more }, headers);

    test("make one call per Idempotency-Key, bill it once, and all return its answer", async () => {
      const { secret } = await operate(first(), "/keys", { name: "shared" });
      const answers = [...addresses, ...addresses].map(async (address, at) => {
        const ask = () => chat(address, secret, { stream: at % 2 === 1 }, { "idempotency-key": "same" });
        let answer = await ask();
        // A store that was too busy for it is asked again, as SDKs do.
        while (answer.status === UNAVAILABLE) answer = await ask();
        expect(answer.status).toBe(200);
        return /"id":"([^"]+)"/.exec(await answer.text())?.[1] ?? "";
      });
      const [id = "", ...others] = new Set(await Promise.all(answers));
      expect([id.slice(0, 9), others]).toEqual(["chatcmpl-", []]);
      expect(simulator.calls.total).toBe(1);
      const { data } = await operate(first(), "/accounts/default/journal?detail=ledger");
      expect(asArray(data).map((entry) => asObject(entry).kind)).toEqual(["post", "hold", "topup"]);
    });

    test("refuse a key that was revoked on one of them", async () => {
      const { secret, id } = await operate(first(), "/keys", { name: "revoked" });
      const others = addresses.slice(1);
      // Each node has seen it live and trusts that for half a second, but admission doesn't.
      for (const address of others) expect((await chat(address, secret)).status).toBe(200);
      const called = simulator.calls.total;
      await operate(first(), `/keys/${id}`, "DELETE");
      const answers = await Promise.all(others.map((address) => chat(address, secret)));
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
      expect(simulator.calls.total).toBe(called);
    });

    test("refuse to start without the store's master key", async () => {
      const masterKeys = ["", Buffer.alloc(32, 8).toString("base64")];
      const ends = await Promise.all(
        masterKeys.map((masterKey) => {
          return startGatewayProcess({ store: url, simulatorUrl: simulator.url, masterKey }).ended;
        }),
      );
      expect(ends.map(({ code }) => code)).toEqual([4, 4]);
      expect(ends[0]?.err).toContain("needs POUNDKEY_MASTER_KEY");
      expect(ends[1]?.err).toContain("a different master key");
    });
  });

  test(
    "resolve a killed node's holds within 20 s, and never those of a live one",
    async () => {
      const { resolvedMs, left } = await buried;
      expect(resolvedMs).toBeLessThan(RESOLVED_MS);
      expect(left).toEqual(["lost", "lost", "lost"]);
      expect(await store.account("of key_held")).toMatchObject({ heldNanoUsd: 3 * COST });
      expect(findErrors(await store.audit())).toEqual([]);
    },
    LONG_MS,
  );
});
