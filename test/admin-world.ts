// A fresh store on disk with everything its administration needs, for one test at a time.
import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdminWorld } from "../src/admin/world.ts";
import { Fault } from "../src/core/fault.ts";
import { derivePepper } from "../src/keys/master.ts";
import { decide } from "../src/ledger/decide.ts";
import { createLedger, type Ledger } from "../src/ledger/ledger.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { BILLING, NOON, QUOTA, standingClock } from "./samples.ts";
import { catchThrown } from "./thrown.ts";

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const pepper = derivePepper(new Uint8Array(32).fill(9));

export interface AdminBench {
  readonly folder: string;
  readonly clock: ReturnType<typeof standingClock>;
  readonly world: AdminWorld;
  readonly ledger: Ledger;
  /** Opens the same store again, as another process would. */
  open(): Promise<AdminWorld>;
}

/** Creates a new bench before each test. The returned function gives it within a test. */
export function adminBench(): () => AdminBench {
  let bench: AdminBench;
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-admin-"));
    const clock = standingClock(NOON);
    const open = async (): Promise<AdminWorld> => {
      const store = await openSqliteStore({ path: join(folder, "poundkey.db"), decide });
      return { store, clock, random, pepper };
    };
    const world = await open();
    const rules = () => ({ quota: QUOTA, billing: BILLING });
    bench = { folder, clock, world, open, ledger: createLedger({ store: world.store, clock, rules }) };
  });
  afterEach(async () => {
    await bench.world.store.close();
    rmSync(bench.folder, { recursive: true });
  });
  return () => bench;
}

/** Returns a call's error as `code param`. */
export async function wrongWith(use: () => Promise<unknown>): Promise<string> {
  const thrown = await catchThrown((async () => use())());
  return thrown instanceof Fault ? `${thrown.code} ${thrown.details.param ?? ""}`.trim() : String(thrown);
}
