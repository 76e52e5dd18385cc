// Limits under load, on workers that share a SQLite file and on nodes of one PostgreSQL, judged from a log of admissions.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { startDatabases } from "../../store/citus/database.ts";
import { judgeLoad, LIMITS, measureUse, type NodeLoad } from "./judge.ts";

/** `LIMITS_CLIENTS=200 LIMITS_REQUESTS=1000 bun test limits.test` is the long form, with `CITUS_URL` on a cluster. */
const CLIENTS = Number(process.env.LIMITS_CLIENTS ?? 40);
const REQUESTS = Number(process.env.LIMITS_REQUESTS ?? 25);
const LONG_MS = 3_600_000;

const folder = mkdtempSync(join(tmpdir(), "poundkey-limits-"));
const server = await startDatabases();
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

/** Makes the keys, runs the nodes beside each other, and judges what they let in. */
async function expectWithin(address: string, nodes: number, store: Store): Promise<void> {
  await store.beat();
  for (const [id, limits] of Object.entries(LIMITS))
    await unrecorded(store).addKey(makeKey(id, { requestsPerDay: null, ...limits }), `digest of ${id}`);
  const each = String(Math.ceil(CLIENTS / nodes));
  const program = join(import.meta.dir, "node.process.ts");
  const loads = await Promise.all(
    Array.from({ length: nodes }, async (): Promise<NodeLoad> => {
      const child = Bun.spawn([process.execPath, program, address, each, String(REQUESTS)], {
        stdout: "pipe",
        stderr: "inherit",
      });
      return JSON.parse(await new Response(child.stdout).text());
    }),
  );
  expect(await judgeLoad(store, loads)).toEqual([]);
  const used = measureUse(loads);
  console.log(`${nodes} nodes: ${JSON.stringify({ ...used, refused: loads.map(({ refused }) => refused) })}`);
  expect(used.requests).toBe(1);
  expect(used.budget).toBeGreaterThanOrEqual(1);
  await store.close();
}

test(
  "two workers on one SQLite file",
  async () => {
    const path = join(folder, "poundkey.db");
    await expectWithin(path, 2, await openSqliteStore({ path, decide }));
  },
  LONG_MS,
);

test(
  "four nodes on one PostgreSQL",
  async () => {
    const url = await server.newDatabase();
    await expectWithin(url, 4, await openPostgresStore({ url, decide, patienceMs: 30_000 }));
  },
  LONG_MS,
);
