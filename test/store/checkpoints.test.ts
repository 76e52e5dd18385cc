// The thread in which the write-ahead log is synced and copied: a slow disk must not stop the event loop.
import { afterAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { watchThreads } from "../harness/threads.ts";
import { until } from "../whole/world/until.ts";
import { canTrace, trace } from "./faults/tracer.ts";

const CAN_TRACE = await canTrace();
const ADMIN_TOKEN = "admin-token-of-the-test";
const LANES = 32;

const place = newPlace(
  `{ server: { port: 0, admin_token: "${ADMIN_TOKEN}" }, store: "sqlite:./poundkey.db" }`,
);
const serving = startServe(place, "--simulate");
afterAll(() => {
  serving.end();
  place.remove();
});

function post(url: string, secret: string, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

test.skipIf(!CAN_TRACE)(
  "a long log is copied into the database file by a thread that is not the event loop's",
  async () => {
    const url = await serving.listens();
    const made = await post(`${url}/admin/v1/keys`, ADMIN_TOKEN, { name: "busy", requests_per_day: null });
    const { secret } = (await made.json()) as { secret: string };
    const trail = join(place.directory, "syncs.txt");
    const stop = await trace(serving.pid, "-e", "trace=fsync", "-o", trail);
    const readTrail = () => readFileSync(trail, "utf8");
    const ask = { model: "Sim#sim-mini", messages: [{ role: "user", content: "hello" }] };
    const lane = async () => {
      while (!readTrail().includes("fsync")) {
        const answer = await post(`${url}/v1/chat/completions`, secret, ask);
        expect(answer.status).toBe(200);
        await answer.text();
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await stop();
    const threads = new Set(readTrail().match(/^\d+(?= +fsync)/gm));
    expect(threads.size).toBeGreaterThan(0);
    expect(threads).not.toContain(String(serving.pid));
  },
  LONG_MS,
);

test(
  "changes that aren't part of a payment have the log copied too",
  async () => {
    const folder = newPlace("");
    const path = join(folder.directory, "changed.db");
    const store = await openSqliteStore({ path, decide });
    const change = (size: number) => store.setSetting("webhooks_audited", crypto.randomUUID().repeat(size));
    // Enough for a checkpoint, and far less than what SQLite would copy by itself.
    for (let count = 0; count < 20; count++) await change(30_000);
    await until("the log is copied", async () => {
      await change(1);
      return statSync(path).size > 1_000_000;
    });
    await store.close();
    folder.remove();
  },
  LONG_MS,
);

test(
  "a thread that ends by itself is replaced",
  async () => {
    using watched = watchThreads();
    const { threads } = watched;
    const folder = newPlace("");
    const path = join(folder.directory, "ended.db");
    const store = await openSqliteStore({ path, decide });
    const change = (size: number) => store.setSetting("webhooks_audited", crypto.randomUUID().repeat(size));
    try {
      for (const count of [1, 2]) {
        await until(`thread ${count} starts`, async () => {
          await change(30_000);
          return threads.length === count;
        });
        threads.at(-1)?.terminate();
      }
    } finally {
      await store.close();
      folder.remove();
    }
  },
  LONG_MS,
);
