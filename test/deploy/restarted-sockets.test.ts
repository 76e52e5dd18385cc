// Two gateways on one PostgreSQL behind the sample's nginx, stopped and killed in turn under WebSockets: sessions go on at the
// other one, every whole turn is paid for once, and the books balance.
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { asObject } from "../../src/core/json/json.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { IS_LONG } from "../harness/long.ts";
import { findErrors } from "../ledger/payments.ts";
import { startSimulator } from "../simulator/server.ts";
import { type GatewayProcess, operate, startGatewayProcess } from "../store/nodes/gateway.ts";
import { useDatabases } from "../store/postgres/databases.ts";
import { findFreePort } from "../whole/network/shared-front.ts";
import { until } from "../whole/world/until.ts";
import { NGINX, startNginx } from "./nginx.ts";
import { Sessions } from "./sessions.ts";

const ROUNDS = IS_LONG ? 24 : 2;
const SESSIONS = IS_LONG ? 100 : 8;
const USD = 1000;
const MODEL = "Acme#sim-mini~latency=15~pace=4";
const TEST_MS = IS_LONG ? 3_600_000 : 180_000;

const countOpened = async (url: string) =>
  Number(/^poundkey_sockets_opened_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

/** The nodes by their ports, each started again after its end. */
async function startNodes(store: string, simulatorUrl: string) {
  const terms = "context: 128000, output: 4096, price: { input: 1, output: 2 }";
  const acme = `{ dialect: openai, keys: ["sim-key"], base_url: "${simulatorUrl}/openai/v1", models: [{ name: "${MODEL.slice(5)}", ${terms} }] }`;
  const more = `  Acme: ${acme}\nbilling: { charge: always }\nresponses: { sockets: { per_key: 500, per_account: 500 } }`;
  const start = (port: number) => startGatewayProcess({ store, simulatorUrl, more, port });
  const ports = [findFreePort(), findFreePort()];
  const nodes: GatewayProcess[] = [];
  for (const port of ports) {
    const node = start(port);
    await node.url;
    nodes.push(node);
  }
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    async restart(at: number, isKilled: boolean): Promise<void> {
      const node = nodes[at];
      if (isKilled && node) process.kill(node.pid, "SIGKILL");
      else await node?.stop();
      await node?.ended;
      nodes[at] = start(ports[at] ?? 0);
      await nodes[at]?.url;
    },
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  };
}

describe.skipIf(NGINX === null)("two gateways behind the sample's nginx (skipped without it)", () => {
  test(
    `stopped and killed in turn ${ROUNDS} times under ${SESSIONS} sessions`,
    async () => {
      const database = await useDatabases();
      const simulator = await startSimulator({ port: 0 });
      const nodes = await startNodes(database.url, simulator.url);
      const [first = "", second = ""] = nodes.urls;
      const front = await startNginx(nodes.urls);
      const { id: accountId } = await operate(first, "/accounts", { name: "payer" });
      await operate(first, `/accounts/${accountId}/topups`, { amount_usd: USD });
      const key = { name: "payer", account_id: accountId, requests_per_day: 0 };
      const { secret } = await operate(first, "/keys", key);
      const sessions = new Sessions(front.url, String(secret), SESSIONS, MODEL);
      const serveMore = async () => {
        const before = sessions.turns.length;
        await until("turns are served", () => sessions.turns.length > before + 2 * SESSIONS);
      };
      await serveMore();
      for (let round = 0; round < ROUNDS; round++) {
        const at = round % 2;
        const other = at === 0 ? second : first;
        const opened = await countOpened(other);
        await nodes.restart(at, round % 4 > 1 || (!IS_LONG && at === 1));
        await until("sessions go on at the other", async () => (await countOpened(other)) > opened);
        await serveMore();
      }
      await sessions.end();
      expect(sessions.turns.filter(({ said, wanted }) => said !== wanted)).toEqual([]);
      expect(sessions.healed).toBeGreaterThan(0);
      const gone = new Set(["previous_response_not_found", "shutting_down"]);
      expect(sessions.refused.filter((code) => !gone.has(code))).toEqual([]);
      // A conversation is whole wherever it goes on.
      for (const { body } of simulator.calls.all()) {
        const [, number] = /say: session (\d+) turn/.exec(JSON.stringify(body)) ?? [];
        if (number !== undefined) expect(JSON.stringify(body)).toContain(`codeword-${number} `);
      }
      const books = await openPostgresStore({ url: database.url, decide });
      await until("nothing is held", async () => (await books.audit()).held === 0n, 90_000);
      expect(findErrors(await books.audit())).toEqual([]);
      await using sql = new SQL(database.url, { max: 1 });
      const rows =
        await sql`SELECT id, charged_nano FROM request WHERE socket_id IS NOT NULL AND charged_nano > 0`;
      const charged = new Map<string, bigint>();
      for (const row of rows)
        charged.set(String(asObject(row).id), BigInt(String(asObject(row).charged_nano)));
      expect(sessions.turns.filter(({ id }) => !charged.has(id))).toEqual([]);
      expect(charged.size).toBe(rows.length);
      expect(charged.size).toBeLessThanOrEqual(simulator.calls.total);
      const spent = [...charged.values()].reduce((sum, one) => sum + one, 0n);
      const left = (await books.account(String(accountId)))?.balanceNanoUsd;
      expect(BigInt(left ?? 0)).toBe(BigInt(USD) * 1_000_000_000n - spent);
      await books.close();
      await front.stop();
      await nodes.stop();
      await simulator.stop();
      await database.remove();
    },
    TEST_MS,
  );
});
