// The audit log while two nodes chain the same entries, on every store: each goes on until none is left.
import { beforeEach, expect, test } from "bun:test";
import { makeEntry } from "../../../src/admin/audit/audit-trail.ts";
import { chainAudit } from "../../../src/app/upkeep/audit-upkeep.ts";
import { random } from "../../../src/app/world.ts";
import type { Act } from "../../../src/core/people/people.ts";
import { NOON, standingClock } from "../../harness/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

const ANNA = "mem_anna";
const PERSON: Act = {
  actor: { kind: "person", id: ANNA, name: "Anna Example" },
  address: "192.0.2.7",
  agent: "Firefox",
  route: "PATCH /admin/v1/keys/:id",
  requestId: "req_1",
};
/** More than are chained at once. */
const ENTRIES = 250;
const clock = standingClock(NOON);

function chaining(stores: () => TwoStores): void {
  beforeEach(async () => {
    const made = Array.from({ length: ENTRIES }, (_, at) => {
      const target = { type: "key", id: `key_${at}`, name: "" } as const;
      return makeEntry({ clock, random }, PERSON, { action: "key.changed", target });
    });
    await stores().store.auditLog.add(made);
  });

  async function readRows() {
    return stores().store.auditLog.rows({ accountIds: null }, { limit: 2 * ENTRIES, before: null });
  }

  test("a person's name is erased from all that waits", async () => {
    const { store, other } = stores();
    await Promise.all([store.auditLog.chain(100), other.people.erase({ id: ANNA, email: null })]);
    while ((await store.auditLog.chain(100)) !== null);
    const rows = await readRows();
    expect(rows).toHaveLength(ENTRIES);
    expect(rows.filter(({ actorName }) => actorName !== "")).toEqual([]);
  });

  test("entries of one millisecond are chained as they were made", async () => {
    const { store } = stores();
    while ((await store.auditLog.chain(100)) !== null);
    const made = Array.from({ length: ENTRIES }, (_, at) => `key_${at}`);
    expect((await readRows()).map(({ targetId }) => targetId).reverse()).toEqual(made);
  });

  test("a node's regular task leaves nothing to wait", async () => {
    const { store, other } = stores();
    const parts = { store: other, clock, random, log: () => {}, auditKeepMs: () => 1 };
    await Promise.all([store.auditLog.chain(100), chainAudit(parts)]);
    expect(await readRows()).toHaveLength(ENTRIES);
  });
}

export const chainingSuite = makeSuite({ chaining });
