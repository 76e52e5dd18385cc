// A fresh store on disk with everything its administration needs, for one test at a time.
import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actAs } from "../../src/admin/audit/audit-trail.ts";
import type { ActingWorld } from "../../src/admin/world.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { Store } from "../../src/core/store.ts";
import { derivePepper } from "../../src/keys/master.ts";
import { decide } from "../../src/ledger/decide.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import { mayUseKeys } from "../../src/people/member.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { TESTER } from "../harness/acting.ts";
import { BILLING, NOON, QUOTA, standingClock } from "../harness/samples.ts";
import { catchThrown } from "../harness/thrown.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const pepper = derivePepper(new Uint8Array(32).fill(9));

/** Acts as the tests, and also has the changes that are not put on record. Proves keys, too. */
export type TestWorld = ActingWorld & { readonly store: Store; readonly mayUseKeys: typeof mayUseKeys };

export interface AdminBench {
  readonly folder: string;
  readonly clock: ReturnType<typeof standingClock>;
  readonly world: TestWorld;
  readonly ledger: Ledger;
  /** Opens the same store again, as another process would. */
  open(): Promise<TestWorld>;
}

/** Creates a new bench before each test. The returned function gives it within a test. */
export function adminBench(): () => AdminBench {
  let bench: AdminBench;
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-admin-"));
    const clock = standingClock(NOON);
    const path = join(folder, "poundkey.db");
    writeEmptyStore(path);
    const open = async (): Promise<TestWorld> => {
      const store = await openSqliteStore({ path, decide });
      return { ...actAs({ store, clock, random, pepper }, TESTER), store, mayUseKeys };
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
