// A gateway that is killed under two hundred calls of tools a second, and under responses whose models call tools: nothing is sent
// again, all that was answered is charged once, and sessions go on. `KILLS=25 bun test kill/tools`, or `LONG=1`, which adds PostgreSQL.
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
import { judgeRequests, toNano } from "../http/tools/days/judge.ts";
import { findErrors } from "../ledger/payments.ts";
import { type Simulator, startSimulator } from "../simulator/server.ts";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";
import { type GatewayProcess, operate, startGatewayProcess } from "../store/nodes/gateway.ts";
import { useDatabases } from "../store/postgres/databases.ts";
import { until } from "../whole/world/until.ts";
import {
  CLIENTS,
  isOfLoop,
  LOOP,
  LOOPS,
  LoopClient,
  listSessions,
  openSession,
  ToolClient,
  tryList,
} from "./tools.ts";

const KILLS = Number(process.env.KILLS ?? (IS_LONG ? 25 : 2));
const TEST_MS = 300_000 + KILLS * 120_000;
const USD = 1000;
const PRICE = 0.002;
/** A machine that many share is slow. */
const WAIT_MS = 180_000;
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
  const { url, remove } = await useDatabases();
  return { url, openBooks: () => openPostgresStore({ url, decide }), remove };
}

async function readRows(url: string): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for (let after: unknown = ""; after !== null; ) {
    const from = after === "" ? "" : `&after=${encodeURIComponent(String(after))}`;
    const page = await operate(url, `/requests?limit=200${from}`);
    rows.push(...asArray(page.data).map(asObject));
    after = page.next ?? null;
  }
  return rows;
}

async function kill(
  process_: GatewayProcess,
  { clients, loops }: Pick<Clients, "clients" | "loops">,
  number: number,
): Promise<void> {
  const url = await process_.url;
  const count = () => clients.reduce((sum, { sent }) => sum + sent.length, 0);
  const before = count();
  const countResponses = () => loops.reduce((sum, loop) => sum + loop.answered, 0);
  const responsesBefore = countResponses();
  const running = [...clients, ...loops].map((client) => client.run(url));
  await until("calls are answered", () => count() >= before + SERVED);
  await until("responses are answered", () => countResponses() >= responsesBefore + LOOPS, WAIT_MS);
  await Bun.sleep((number * 37) % 100);
  process.kill(process_.pid, "SIGKILL");
  await Promise.all([process_.ended, ...running]);
}

function findTwice(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.has(text) || !seen.add(text));
}

interface Clients {
  readonly accountId: string;
  readonly clients: readonly ToolClient[];
  readonly loops: readonly LoopClient[];
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

/** The gateway, of which there is one at a time, and what outlives its kills. */
class KilledWorld implements AsyncDisposable {
  readonly server = new ToolServerFake({ era: "older", sessions: true });
  readonly #simulator: Simulator;
  readonly place: Place;
  gateway: GatewayProcess;
  url = "";

  constructor(place: Place, simulator: Simulator) {
    this.place = place;
    this.#simulator = simulator;
    this.gateway = this.#start();
  }

  #start(): GatewayProcess {
    const server = `old: { url: "${this.server.url}", price_per_call: ${PRICE} }`;
    return startGatewayProcess({
      store: this.place.url,
      simulatorUrl: this.#simulator.url,
      more: `billing: { charge: always }\nmcp: { allowed_tools: ["*"], servers: { ${server} } }`,
    });
  }

  async restart(): Promise<void> {
    this.gateway = this.#start();
    this.url = await this.gateway.url;
  }

  /** Makes two keys of one account, and clients of both. */
  async makeClients(): Promise<Clients> {
    this.url = await this.gateway.url;
    const accountId = String((await operate(this.url, "/accounts", { name: "payer" })).id);
    await operate(this.url, `/accounts/${accountId}/topups`, { amount_usd: USD });
    const secrets: string[] = [];
    for (const name of ["one", "other"])
      secrets.push(String((await operate(this.url, "/keys", { name, account_id: accountId })).secret));
    const clients = Array.from(
      { length: CLIENTS },
      (_, at) => new ToolClient(`client${at}`, secrets[at % secrets.length] ?? ""),
    );
    for (const client of clients) await client.begin(this.url);
    const loops = Array.from(
      { length: LOOPS },
      (_, at) => new LoopClient(`${LOOP}${at}`, secrets[at % secrets.length] ?? ""),
    );
    return { accountId, clients, loops };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      process.kill(this.gateway.pid, "SIGKILL");
    } catch {
      // It has stopped.
    }
    await this.gateway.ended;
    await this.server.stop();
    await this.#simulator.stop();
    await this.place.remove();
  }
}

describe.each(PLACES.filter(([, isTried]) => isTried))("over %s", (_name, _isTried, open) => {
  test(
    `${KILLS} kills: nothing is sent again, each answer is paid once, and sessions go on`,
    async () => {
      await using world = new KilledWorld(await open(), await startSimulator({ host: "127.0.0.1", port: 0 }));
      const { accountId, clients, loops } = await world.makeClients();
      const [{ secret, session } = { secret: "", session: "" }] = clients;
      const ended = await openSession(world.url, secret);
      const headers = { authorization: `Bearer ${secret}`, "mcp-session-id": ended };
      await fetch(`${world.url}/mcp`, { method: "DELETE", headers });
      for (let number = 1; number <= KILLS; number++) {
        await kill(world.gateway, { clients, loops }, number);
        await world.restart();
        // A database that is busy with what was killed is away for a moment.
        const look = async () => (await tryList(world.url, secret, session)) !== 503;
        await until("the gateway is back", look);
        expect(await tryList(world.url, secret, ended)).toBe(404);
        for (const client of clients)
          expect(await tryList(world.url, client.secret, client.session)).toBe(200);
      }
      const readAccount = () => operate(world.url, `/accounts/${accountId}`);
      await until("nothing is held", async () => (await readAccount()).held_usd === 0, 120_000);
      const rows = await readRows(world.url);
      const calls = rows.filter(({ surface }) => surface === "mcp");
      judge(clients, calls, world.server);
      const sent = loops.flatMap((loop) => loop.sent);
      const { texts, spoiled } = world.server;
      const servers = { old: { texts: texts.filter((text) => text.startsWith(LOOP)), spoiled } };
      expect(judgeRequests({ sent, rows, servers, price: toNano(PRICE) })).toEqual([]);
      const seen = world.server.listSeen("tools/call");
      const sessions = listSessions(seen.filter(({ params }) => !isOfLoop(params)));
      expect([...sessions.values()].map(({ size }) => size)).toEqual(clients.map(() => 1));
      expect(new Set([...sessions.values()].flatMap((own) => [...own])).size).toBe(CLIENTS);
      const paid = rows.reduce((sum, { charged_usd: charged }) => sum + toNano(charged), 0);
      expect(toNano((await readAccount()).balance_usd)).toBe(toNano(USD) - paid);
      await world.gateway.stop();
      const books = await world.place.openBooks();
      expect(findErrors(await books.audit())).toEqual([]);
      await books.close();
    },
    TEST_MS,
  );
});
