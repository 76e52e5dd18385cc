// The sweep of sessions: whatever a client opens and leaves is gone after one, and no session is ended twice.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/app/start/open-store.ts";
import { makeSessionSweep } from "../../../src/app/tools/session-sweep.ts";
import { clock, random } from "../../../src/app/world.ts";
import { nameOwner, ServerSessions } from "../../../src/gateway/tools/server-sessions.ts";
import { ClientSessions } from "../../../src/http/tools/sessions.ts";

const DAY_MS = 86_400_000;
const LEFT = 350;
const KEY = { id: "key_1", accountId: "default" };

/** A node's sessions, at a time that moves on command. */
async function openNode(database: string) {
  const { store, vault } = await openStore(`sqlite:${database}`, undefined);
  const time = { ms: clock.nowMs() };
  const ended: string[] = [];
  const parts = { store, vault, clock: { nowMs: () => time.ms } };
  const servers = new ServerSessions(parts);
  const sweep = makeSessionSweep({
    ...parts,
    sessions: servers,
    servers: { endSession: async (_server, id) => void ended.push(id) },
    isOn: () => true,
  });
  return { store, time, ended, servers, sweep, clients: new ClientSessions({ ...parts, random, servers }) };
}

let directory: string;
let nodes: readonly Awaited<ReturnType<typeof openNode>>[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "poundkey-sweep-"));
  const database = join(directory, "poundkey.db");
  nodes = [await openNode(database), await openNode(database)];
});
afterAll(async () => {
  for (const { store } of nodes) await store.close();
  rmSync(directory, { recursive: true, force: true });
});

test("many sessions that rest are ended by one sweep, each by one of two nodes", async () => {
  const [one, other] = nodes;
  if (!(one && other)) throw new Error("no nodes");
  for (let at = 0; at < LEFT; at++) {
    const owner = nameOwner({ accountId: KEY.accountId, keyId: KEY.id, session: `session-${at}` });
    await one.servers.keep({ server: "old", owner, passDigest: null }, `there-${at}`);
  }
  for (const { time } of nodes) time.ms += 3_700_000;
  await Promise.all([one.sweep(), other.sweep()]);
  const ended = [...one.ended, ...other.ended];
  expect(ended).toHaveLength(LEFT);
  expect(new Set(ended).size).toBe(LEFT);
});

test("a session that was ended is unknown for as long as it could be used, and its row goes after that", async () => {
  const [one] = nodes;
  if (!one) throw new Error("no node");
  const session = one.clients.open(KEY);
  expect(await one.clients.knows(KEY, session)).toBe(true);
  await one.clients.end(KEY, session);
  for (const days of [0, 29.9]) {
    one.time.ms += days * DAY_MS;
    await one.sweep();
    expect(await one.clients.knows(KEY, session)).toBe(false);
  }
  one.time.ms += 2 * DAY_MS;
  await one.sweep();
  expect(await one.clients.knows(KEY, session)).toBe(false);
  expect(await one.store.toolSessions.dropEnded(one.time.ms + DAY_MS, 10)).toBe(0);
});
