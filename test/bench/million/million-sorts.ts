// Pages of a million keys, accounts and people in the order of each column, where a tenth of them was used in the month: how
// long each takes, and the longest that the event loop stood still: `bun test/bench/million/million-sorts.ts`.
//
// `--rows N` fills fewer, `--engine sqlite` or `postgres` takes one alone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SortedList, SortedLists, Store } from "../../../src/core/store.ts";
import { SORTS, type SortOf } from "../../../src/core/things/sorts.ts";
import type { SortedPage, SortedPosition, SortedRow } from "../../../src/core/world/page.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import {
  decideByDemand,
  HOUR,
  makeAccount,
  makeKey,
  makeRecord,
  writeRecord,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import { startPostgres } from "../../store/postgres/server.ts";
import { copyColumns, numbers, openRaw, type Raw } from "./million-fill.ts";

const USED = 10;
/** Rows of the hourly sums that each used key has. */
const HOURS = 10;
const PAGES = 3;
const LISTS = ["keys", "accounts", "members"] as const;
const monthMs = Date.UTC(2026, 10, 1);
const nowMs = monthMs + 20 * 24 * HOUR;

const { values: given } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, engine: { type: "string" } },
});
const rows = Number(given.rows);

/** Writes one of each row with the store, which the others are copies of. */
async function writeFirst(store: Store): Promise<void> {
  await store.beat();
  const bare = unrecorded(store);
  await bare.addAccount(makeAccount("a0"));
  await bare.changeMember("m0", () => makeMember("m0"));
  await bare.addKey(makeKey("k0", { accountId: "a0", memberId: "m0" }), "digest");
  await writeRecord(store, makeRecord("r0", { keyId: "k0", accountId: "a0", memberId: "m0", atMs: monthMs }));
}

async function copyRows(raw: Raw, table: string, own: Readonly<Record<string, string>>): Promise<void> {
  const { into, from } = await copyColumns(raw, table, own);
  await raw.run(
    `INSERT INTO ${table} (${into}) ${numbers(rows)} SELECT ${from} FROM m CROSS JOIN
      (SELECT * FROM ${table} WHERE id = '${table === "account" ? "a0" : table === "member" ? "m0" : "k0"}') AS template`,
  );
}

async function fill(raw: Raw): Promise<void> {
  const id = (letter: string) => `'${letter}' || CAST(i AS TEXT)`;
  const own = { created_at_ms: `${monthMs} - i`, name: `'name ' || CAST(scattered AS TEXT)` };
  await copyRows(raw, "account", { ...own, id: id("a") });
  await copyRows(raw, "member", { ...own, id: id("m"), subject: id("s") });
  await copyRows(raw, "gateway_key", {
    ...own,
    id: id("k"),
    account_id: id("a"),
    member_id: id("m"),
    digest: id("d"),
  });
  const used = await copyColumns(raw, "hourly_usage", {
    hour_ms: `${monthMs} + ((scattered + hour * 47) % 480) * ${HOUR}`,
    key_id: id("k"),
    account_id: id("a"),
    member: id("m"),
    cost_nano: "scattered % 1000000",
  });
  await raw.run(
    `INSERT INTO hourly_usage (${used.into}) ${numbers(rows)}, h (hour) AS (SELECT 0 UNION ALL SELECT hour + 1 FROM h WHERE hour < ${HOURS - 1})
      SELECT ${used.from} FROM m CROSS JOIN h CROSS JOIN (SELECT * FROM hourly_usage LIMIT 1) AS template WHERE i % ${USED} = 0 ORDER BY 1`,
  );
  await raw.run("ANALYZE");
}

/** The longest of the event loop's turns while it runs. */
async function measure<T>(work: () => Promise<T>): Promise<{ tookMs: number; blockedMs: number; result: T }> {
  let blockedMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const at = performance.now();
    blockedMs = Math.max(blockedMs, at - last - 1);
    last = at;
  }, 1);
  const startMs = performance.now();
  const result = await work();
  const tookMs = performance.now() - startMs;
  await Bun.sleep(5);
  clearInterval(timer);
  return { tookMs, blockedMs, result };
}

const FILTERS: { readonly [List in SortedList]: SortedLists[List]["filter"] } = {
  keys: { nowMs },
  accounts: {},
  members: {},
  batches: {},
};

/** Prints the time of the first pages in each order and, in brackets, the event loop's longest block meanwhile. */
async function measurePages<List extends SortedList>(store: Store, list: List): Promise<void> {
  const columns: readonly SortOf<List>[] = SORTS[list];
  for (const by of columns)
    for (const isDown of [true, false]) {
      const shown: string[] = [];
      for (let page = 0, after: SortedPosition | null = null; page < PAGES; page++) {
        const asked: SortedPage<SortOf<List>> = { by, isDown, limit: 51, after };
        const { tookMs, blockedMs, result } = await measure(() =>
          store.things.sorted(list, asked, { filter: FILTERS[list], costs: { sinceMs: monthMs } }),
        );
        const last: SortedRow<SortedLists[List]["row"]> | undefined = result.at(-1);
        after = last ? { value: last.value, id: last.row.id } : null;
        shown.push(`${Math.round(tookMs)} (${Math.round(blockedMs)})`);
      }
      console.log(`${list} ${by} ${isDown ? "desc" : "asc"}`.padEnd(24), shown.join("  "));
    }
}

async function measureStore(engine: string, url: string): Promise<void> {
  const open = () =>
    engine === "postgres"
      ? openPostgresStore({ url, decide: decideByDemand })
      : openSqliteStore({ path: url.slice("sqlite:".length), decide: decideByDemand });
  const first = await open();
  await writeFirst(first);
  await first.close();
  const raw = await openRaw(url);
  await fill(raw);
  await raw.close();
  const store = await open();
  await store.beat();
  console.log(`\n${engine}: ${rows} of each, milliseconds of three pages (and the longest block)`);
  for (const list of LISTS) await measurePages(store, list);
  await store.close();
}

if (given.engine !== "postgres") {
  const directory = mkdtempSync(join(tmpdir(), "million-sorts-"));
  await measureStore("sqlite", `sqlite:${join(directory, "store.db")}`);
  rmSync(directory, { recursive: true });
}
if (given.engine !== "sqlite") {
  const server = await startPostgres({ shared_buffers: "256MB" });
  await measureStore("postgres", server.url);
  server.remove();
}
