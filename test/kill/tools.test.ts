// A gateway that is killed under two hundred calls of tools a second: nothing is sent again, every call that was answered is
// charged once, and sessions go on. `KILLS=25 bun test kill/tools`, or `LONG=1`, which adds PostgreSQL.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { IS_LONG } from "../harness/long.ts";
import { findErrors } from "../ledger/payments.ts";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";
import { type GatewayProcess, operate, startGatewayProcess } from "../store/nodes/gateway.ts";
import { startPostgres } from "../store/postgres/server.ts";
import { until } from "../whole/world/until.ts";
import { CLIENTS, listSessions, openSession, ToolClient, tryList } from "./tools.ts";

const KILLS = Number(process.env.KILLS ?? (IS_LONG ? 25 : 2));
const TEST_MS = 120_000 + KILLS * 60_000;
const USD = 1000;
const PRICE = 0.002;
/** The answers between two kills. */
const SERVED = 2 * CLIENTS;

interface Place {
  readonly url: string;
  readonly openBooks: () => Promise<Store>;
  readonly remove: () => Promise<void>;
}

const PLACES: readonly (readonly [name: string, isTried: boolean, open: () => Promise<Place>])[] = [
  ["SQLite", true, openSqlite],
  ["PostgreSQL", IS_LONG || process.env.KILLS !== undefined, openPostgres],
];

async function openSqlite(): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-kill-tools-"));
  const path = join(directory, "poundkey.db");
  return {
    url: `sqlite:${path}`,
    openBooks: async () => openSqliteStore({ path, decide }),
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

async function openPostgres(): Promise<Place> {
  const { url, remove } = await startPostgres();
  return { url, openBooks: () => openPostgresStore({ url, decide }), remove };
}

async function readRows(url: string): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for (let after: unknown = ""; after !== null; ) {
    const from = after === "" ? "" : `&after=${encodeURIComponent(String(after))}`;
    const page = await operate(url, `/requests?operation=tool&limit=200${from}`);
    rows.push(...asArray(page.data).map(asObject));
    after = page.next ?? null;
  }
  return rows;
}

async function kill(process_: GatewayProcess, clients: readonly ToolClient[], number: number): Promise<void> {
  const url = await process_.url;
  const count = () => clients.reduce((sum, { sent }) => sum + sent.length, 0);
  const before = count();
  const running = clients.map((client) => client.run(url));
  await until("calls are answered", () => count() >= before + SERVED);
  await Bun.sleep((number * 37) % 100);
  process.kill(process_.pid, "SIGKILL");
  await Promise.all([process_.ended, ...running]);
}

function findTwice(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.has(text) || !seen.add(text));
}

/** Compares the answers of clients, and the calls that the server saw, with the rows. */
function judge(clients: readonly ToolClient[], rows: readonly JsonObject[], server: ToolServerFake): void {
  expect(clients.flatMap(({ wrong }) => wrong)).toEqual([]);
  // Calls with an Idempotency-Key may be sent again by their clients.
  expect(findTwice(server.texts.filter((text) => !text.endsWith("-keyed")))).toEqual([]);
  const byRequest = new Map(rows.map((row) => [row.request_id, row]));
  const answered = clients.flatMap(({ sent }) => sent).filter(({ charged }) => charged !== null);
  const unpaid = answered.filter(({ requestId, charged }) => {
    const row = byRequest.get(requestId);
    return charged !== PRICE || row?.charged_usd !== PRICE || row.outcome !== "answered";
  });
  expect(unpaid).toEqual([]);
  const paid = rows.filter(({ charged_usd: charged }) => charged !== 0);
  expect(findTwice(paid.map(({ request_id: id }) => String(id).split(".")[0] ?? ""))).toEqual([]);
}

describe.each(PLACES.filter(([, isTried]) => isTried))("over %s", (_name, _isTried, open) => {
  test(
    `${KILLS} kills: nothing is sent again, each answer is paid once, and sessions go on`,
    async () => {
      const place = await open();
      const server = new ToolServerFake({ era: "older", sessions: true });
      const start = () =>
        startGatewayProcess({
          store: place.url,
          simulatorUrl: "http://127.0.0.1:9",
          more: `billing: { charge: always }
mcp: { allowed_tools: ["*"], servers: { old: { url: "${server.url}", price_per_call: ${PRICE} } } }`,
        });
      let gateway = start();
      let url = await gateway.url;
      const { id: accountId } = await operate(url, "/accounts", { name: "payer" });
      await operate(url, `/accounts/${accountId}/topups`, { amount_usd: USD });
      const makeKey = async (name: string) =>
        String((await operate(url, "/keys", { name, account_id: accountId })).secret);
      const secrets = [await makeKey("one"), await makeKey("other")];
      const clients = Array.from(
        { length: CLIENTS },
        (_, at) => new ToolClient(`client${at}`, secrets[at % secrets.length] ?? ""),
      );
      for (const client of clients) await client.begin(url);
      const [first = ""] = secrets;
      const ended = await openSession(url, first);
      const headers = { authorization: `Bearer ${first}`, "mcp-session-id": ended };
      await fetch(`${url}/mcp`, { method: "DELETE", headers });
      for (let number = 1; number <= KILLS; number++) {
        await kill(gateway, clients, number);
        gateway = start();
        url = await gateway.url;
        expect(await tryList(url, first, ended)).toBe(404);
        for (const { secret, session } of clients) expect(await tryList(url, secret, session)).toBe(200);
      }
      const readAccount = () => operate(url, `/accounts/${accountId}`);
      await until("nothing is held", async () => (await readAccount()).held_usd === 0, 120_000);
      const rows = await readRows(url);
      judge(clients, rows, server);
      const sessions = listSessions(server.listSeen("tools/call"));
      expect([...sessions.values()].map(({ size }) => size)).toEqual(clients.map(() => 1));
      expect(new Set([...sessions.values()].flatMap((own) => [...own])).size).toBe(CLIENTS);
      const paid = rows.filter(({ charged_usd: charged }) => charged === PRICE).length;
      expect(Number((await readAccount()).balance_usd)).toBeCloseTo(USD - paid * PRICE, 9);
      await gateway.stop();
      const books = await place.openBooks();
      expect(findErrors(await books.audit())).toEqual([]);
      await books.close();
      await server.stop();
      await place.remove();
    },
    TEST_MS,
  );
});
