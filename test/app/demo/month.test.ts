// A demo's month in its whole length: what is in it, that its books hold, and that a seed makes the same month again.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeMonth } from "../../../src/app/demo/make/make-month.ts";
import { IS_LONG } from "../../harness/long.ts";

const END_MS = Date.parse("2026-11-28T17:00:00Z");
const MONTH_MS = 600_000;
const COMMAND = ["bun", join(import.meta.dir, "../../../src/main.ts")];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-month-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function make(name: string, days: number, seed = 1): Promise<Database> {
  const own = join(folder, name);
  mkdirSync(own, { mode: 0o700 });
  await makeMonth({ folder: own, seed, days, endMs: END_MS });
  return new Database(join(own, "poundkey.db"), { readonly: true });
}

function count(month: Database, what: string): number {
  return month.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${what}`).get()?.count ?? 0;
}

describe.skipIf(!IS_LONG)("a month of thirty days", () => {
  test(
    "has all that a company's month has, and its books and its audit hold",
    async () => {
      const month = await make("whole", 30);
      const counts = {
        accounts: count(month, "account"),
        people: count(month, "member"),
        keys: count(month, "gateway_key"),
        requests: count(month, "request WHERE operation <> 'tool'"),
        models: count(month, "(SELECT DISTINCT model_used FROM request WHERE status = 200)"),
        providers: count(month, "(SELECT DISTINCT provider FROM request WHERE status = 200)"),
        failovers: count(month, "request WHERE attempts > 1 AND status = 200"),
        refusals: count(month, "(SELECT DISTINCT code FROM refusal)"),
        tools: count(month, "request WHERE tool IS NOT NULL"),
        asked: count(month, "limit_request WHERE state = 'open'"),
        topUps: count(month, "movement WHERE kind = 'topup'"),
        statements: count(month, "statement"),
        batches: count(month, "batch"),
        audit: count(month, "audit"),
      };
      month.close();
      const least = {
        accounts: 6,
        people: 12,
        keys: 25,
        requests: 10_000,
        models: 8,
        providers: 5,
        failovers: 1,
        refusals: 5,
        tools: 50,
        asked: 1,
        topUps: 5,
        statements: 6,
        batches: 3,
        audit: 50,
      };
      const short = Object.entries(least).filter(([name, value]) => Reflect.get(counts, name) < value);
      expect([short, counts]).toEqual([[], counts]);
      for (const of of ["ledger", "audit"]) {
        const store = `sqlite:${join(folder, "whole", "poundkey.db")}`;
        const verified = Bun.spawnSync([...COMMAND, of, "verify", "--store", store], { cwd: folder });
        expect([of, verified.exitCode, verified.stderr.toString()]).toEqual([of, 0, expect.any(String)]);
      }
    },
    MONTH_MS,
  );

  test(
    "is made again by its seed, but for ids and digests, with the lines of batches",
    async () => {
      const rows = (month: Database) => [
        month
          .query(
            `SELECT at_ms, model_asked, model_used, attempts, stream, status, fault_code, prompt_tokens, completion_tokens,
              cost_nano, charged_nano, ended, total_ms, first_token_ms, session, tags, surface, provider, custom_id
            FROM request ORDER BY at_ms, model_asked, prompt_tokens, completion_tokens`,
          )
          .all(),
        month
          .query("SELECT at_ms, code, model_asked, requests FROM refusal ORDER BY at_ms, code, model_asked")
          .all(),
        month.query("SELECT kind, amount_nano, at_ms FROM movement ORDER BY at_ms, amount_nano").all(),
        month.query("SELECT name FROM gateway_key ORDER BY name").all(),
      ];
      const [first, again, other] = [
        await make("first", 7),
        await make("again", 7),
        await make("other", 7, 2),
      ];
      expect(rows(again)).toEqual(rows(first));
      expect(rows(other)).not.toEqual(rows(first));
      for (const month of [first, again, other]) month.close();
    },
    MONTH_MS,
  );
});
