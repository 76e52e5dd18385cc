// Calls of tools over PostgreSQL, from two nodes: sessions, money and rows are shared.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import type { Started } from "../../harness/harness.ts";
import { type PostgresServer, startPostgres } from "../../store/postgres/server.ts";
import { startToolsWorld, type ToolsWorld } from "./tools-world.ts";

/** A container or a server of PostgreSQL starts within it. */
const LONG_MS = 60_000;
let database: PostgresServer;
let world: ToolsWorld;
let other: Started;
beforeAll(async () => {
  database = await startPostgres();
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

test("a session goes on at another node, and each call is charged once", async () => {
  const accountId = await world.newAccount();
  await world.topUp(accountId, 1);
  const { secret } = await world.newKey({ account_id: accountId });
  const post = (url: string, message: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    });
  const begun = await post(world.url, { method: "initialize", params: { protocolVersion: "2025-11-25" } });
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  const call = { method: "tools/call", params: { name: "old_echo", arguments: { text: "hi" } } };
  const answers = await Promise.all(
    [world.url, other.url, world.url, other.url].map((url) => post(url, call, session)),
  );
  for (const answer of answers) expect(await answer.text()).toContain("echo: hi");
  const seen = world.servers.old?.listSeen("tools/call").map(({ headers }) => headers["mcp-session-id"]);
  expect(new Set(seen).size).toBe(1);
  const { balance_usd: balance, held_usd: held } = asObject(await world.read(`/accounts/${accountId}`));
  expect([balance, held]).toEqual([0.992, 0]);
  expect((await world.rows()).map(({ charged_usd: charged }) => charged)).toEqual([
    0.002, 0.002, 0.002, 0.002,
  ]);
});
