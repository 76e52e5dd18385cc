// Calls of tools over PostgreSQL at two nodes behind a round robin: sessions, limits, rights, money and rows are shared.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Started } from "../../harness/harness.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { until } from "../../whole/world/until.ts";
import { connect, startToolsWorld, type ToolsWorld } from "./tools-world.ts";

/** A container or a server of PostgreSQL starts within it. */
const LONG_MS = 60_000;
let database: Databases;
let world: ToolsWorld;
let other: Started;
beforeAll(async () => {
  database = await useDatabases();
  world = await startToolsWorld({
    servers: { old: { era: "older", sessions: true } },
    more: "quota: { requests_per_day: 0 }",
    store: database.url,
  });
  other = await world.another();
}, LONG_MS);
afterAll(async () => {
  await other.stop();
  await world.stop();
  await database.remove();
}, LONG_MS);

/** Sends to either node in turn, as a balancer would. */
let turn = 0;
const pickUrl = () => [world.url, other.url][turn++ % 2] ?? "";

function post(
  secret: string,
  message: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  url = pickUrl(),
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
}

async function begin(secret: string): Promise<Readonly<Record<string, string>>> {
  const params = { protocolVersion: "2025-11-25" };
  const begun = await post(secret, { method: "initialize", params });
  await begun.text();
  return { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
}

const echo = (text: string) => ({
  method: "tools/call",
  params: { name: "old_echo", arguments: { text } },
});

function change(id: string, fields: JsonObject): Promise<Response> {
  return fetch(`${pickUrl()}/admin/v1/keys/${id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
}

/** The account pays for every call. */
async function makeKey(usd: number, fields: Record<string, unknown> = {}) {
  const accountId = await world.newAccount();
  await world.topUp(accountId, usd);
  const key = await world.newKey({ account_id: accountId, ...fields });
  return { ...key, readAccount: async () => asObject(await world.read(`/accounts/${accountId}`)) };
}

test("a session goes on at another node, and each call is charged once", async () => {
  const { secret, readAccount } = await makeKey(1);
  const session = await begin(secret);
  const answers = await Promise.all([1, 2, 3, 4].map(() => post(secret, echo("hi"), session)));
  for (const answer of answers) expect(await answer.text()).toContain("echo: hi");
  const seen = world.servers.old?.listSeen("tools/call").map(({ headers }) => headers["mcp-session-id"]);
  expect(new Set(seen).size).toBe(1);
  expect(await readAccount()).toMatchObject({ balance_usd: 0.992, held_usd: 0 });
  expect((await world.rows()).map(({ charged_usd: charged }) => charged)).toEqual([
    0.002, 0.002, 0.002, 0.002,
  ]);
});

test("a session that was ended at one node is unknown at the other, at once", async () => {
  const { secret } = await makeKey(1);
  const session = await begin(secret);
  const headers = { authorization: `Bearer ${secret}`, ...session };
  const ended = await fetch(`${pickUrl()}/mcp`, { method: "DELETE", headers });
  expect(ended.status).toBe(204);
  const statuses = [1, 2].map(async () => (await post(secret, echo("late"), session)).status);
  expect(await Promise.all(statuses)).toEqual([404, 404]);
});

describe("limits are those of both nodes together", () => {
  const countEchoes = (texts: readonly string[]) => texts.filter((text) => text.includes("echo: ")).length;

  test.each<[string, number, Record<string, unknown>, number]>([
    ["a budget", 1, { budgets: [{ usd: 0.01, per: "day", models: ["mcp:*"] }] }, 5],
    ["the balance", 0.007, {}, 3],
    ["requests of the minute", 1, { requests_per_minute: 4 }, 4],
  ])("%s", async (_what, usd, fields, most) => {
    const { secret, readAccount } = await makeKey(usd, fields);
    const texts = await Promise.all(
      Array.from({ length: 12 }, async () => (await post(secret, echo("hi"))).text()),
    );
    expect(countEchoes(texts)).toBe(most);
    const { balance_usd, held_usd } = await readAccount();
    expect([Number(balance_usd).toFixed(3), held_usd]).toEqual([(usd - most * 0.002).toFixed(3), 0]);
  });

  test("requests in parallel", async () => {
    const { secret } = await makeKey(1, { parallel: 1 });
    const running = post(secret, { method: "tools/call", params: { name: "old_slow", arguments: {} } });
    await until("the tool works", () => world.servers.old?.countRuns("slow") === 1);
    const refused = await Promise.all([1, 2].map(async () => (await post(secret, echo("hi"))).text()));
    for (const text of refused) expect(text).toContain("too_many_parallel_requests");
    world.servers.old?.finish();
    expect(await (await running).text()).toContain("slow: ");
    expect(await (await post(secret, echo("hi"))).text()).toContain("echo: hi");
  });
});

test("a call is cancelled at the node that has it", async () => {
  const { secret } = await makeKey(1);
  const session = await begin(secret);
  const { old } = world.servers;
  const before = [old?.countRuns("slow") ?? 0, old?.cancelled.length ?? 0] as const;
  const params = { name: "old_slow", arguments: {} };
  const running = post(secret, { id: "slow-2", method: "tools/call", params }, session, other.url);
  await until("the tool works", () => (old?.countRuns("slow") ?? 0) > before[0]);
  const cancel = { method: "notifications/cancelled", params: { requestId: "slow-2" } };
  const notice = (url: string) => post(secret, { ...cancel, id: undefined }, session, url);
  await (await notice(world.url)).text();
  expect(old?.cancelled.length).toBe(before[1]);
  await (await notice(other.url)).text();
  await (await running).text();
  await until("it is cancelled there", () => (old?.cancelled.length ?? 0) > before[1]);
});

describe("rights that are changed at one node", () => {
  test("count at the next call at either, and are given back within half a second", async () => {
    const { secret, id } = await makeKey(1);
    const text = async () => (await post(secret, echo("rights"))).text();
    for (let times = 0; times < 3; times++) {
      // A node remembers for half a second that a key may not, and asks the store each time whether it still may.
      await until("both nodes know of the right", async () =>
        (await Promise.all([text(), text()])).every((answer) => answer.includes("echo: rights")),
      );
      const ran = world.servers.old?.countRuns("echo");
      expect((await change(id, { allowed_tools: ["old_fail"] })).status).toBe(200);
      for (const refused of await Promise.all([text(), text()]))
        expect(refused).toContain("Unknown tool: old_echo");
      expect(world.servers.old?.countRuns("echo")).toBe(ran ?? 0);
      expect((await change(id, { allowed_tools: null })).status).toBe(200);
    }
  });

  test("are heard of by a client that listens at either", async () => {
    const { secret, id } = await makeKey(1);
    const heard: string[] = [];
    const clients = await Promise.all(
      [world.url, other.url].map((url) => connect({ url, secret }, { secret })),
    );
    for (const [at, client] of clients.entries()) {
      client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push(`node ${at}`));
      await client.listTools();
    }
    await change(id, { allowed_tools: ["old_echo"] });
    await until("both hear of it", () => new Set(heard).size === 2);
    for (const client of clients) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["old_echo"]);
      await client.close();
    }
  });
});

test("a change at the server is heard of by clients at either", async () => {
  const { secret } = await makeKey(1);
  const heard: string[] = [];
  const clients = await Promise.all(
    [world.url, other.url].map((url) => connect({ url, secret }, { secret })),
  );
  for (const [at, client] of clients.entries()) {
    client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push(`node ${at}`));
    await client.listTools();
  }
  const { old } = world.servers;
  await until("both nodes listen", () => (old?.openStreams ?? 0) >= 2);
  old?.change([...old.tools, { name: "fresh", inputSchema: { type: "object" } }]);
  await until("both hear of it", () => new Set(heard).size === 2);
  for (const client of clients) {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("old_fresh");
    await client.close();
  }
});
