// The store's suites on a Citus cluster whose tables are distributed over its workers. Skipped unless CITUS_URL names
// its coordinator (test/store/citus/cluster.sh starts one).
import { beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { listWriteTexts } from "../../../src/store/postgres/writing.ts";
import { runPostgresSuites } from "../../suites/postgres-suites.ts";
import { distribute } from "./database.ts";

const url = process.env.CITUS_URL ?? "";
if (url === "") console.log("skipped: CITUS_URL isn't set");

describe.skipIf(url === "")("on Citus", () => {
  beforeAll(async () => {
    await distribute(url);
  }, 60_000);

  runPostgresSuites("with its tables spread", () => ({ store: url, direct: url }));

  test("every table with an account is distributed by it", async () => {
    await using sql = new SQL(url, { max: 1 });
    const owned = await sql`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'account_id' AND table_name <> 'gateway_key' ORDER BY 1`;
    const spread = await sql`
      SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' AND logicalrelid::text <> 'account'
      ORDER BY 1`;
    expect([...spread]).toEqual([...owned]);
  });

  test.each([...listWriteTexts(true)])("one machine runs %s", async (text) => {
    await using sql = new SQL(url, { max: 1 });
    const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, mark]) => Number(mark)));
    const lists = Array.from({ length: count - 1 }, () => "'{}'");
    const values = ["'default'", ...lists].join(", ");
    await sql.unsafe(`PREPARE asked AS ${text}`);
    const plan = await sql.unsafe(`EXPLAIN (COSTS OFF) EXECUTE asked (${values})`);
    const lines = plan.map((row: Record<string, string>) => row["QUERY PLAN"] ?? "").join("\n");
    expect(lines).toContain("Task Count: 1");
    expect(lines).not.toContain("Distributed Subplan");
  });
});
