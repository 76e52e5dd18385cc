// The PostgreSQL store's journals and sums.
import { readEntrySeq, type Store } from "../../core/store.ts";
import { type Found, text, whole } from "../found.ts";
import { FIRST_TOKEN, USAGE } from "../log-tables.ts";
import { firstTokensLookup, type Lookup, usageLookup } from "../narrowing.ts";
import { AUDIT_ACCOUNTS, AUDIT_STRAY, readAudit } from "../sql.ts";
import { ENTRY } from "../tables.ts";
import { query, type Result } from "./connection.ts";
import type { Pool } from "./pool.ts";
import { selectFrom } from "./reading.ts";

const HOUR_MS = 3_600_000;
const mark = (position: number) => `$${position}`;

const JOURNAL = `${selectFrom(ENTRY)} WHERE account_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`;
const CHARGED = `
  SELECT coalesce(sum(charged_nano), 0) AS charged FROM usage_hour
  WHERE account_id = $1 AND key_id = $2 AND hour_ms > $3`;

type BookMethods = Pick<
  Store,
  "journal" | "systemJournal" | "systemBalance" | "audit" | "chargedSince" | "usage" | "firstTokens"
>;

export function bookMethods(pool: Pool): BookMethods {
  return {
    journal: async (accountId, { limit, after }) => {
      const before = after ? readEntrySeq(after.id) : Number.MAX_SAFE_INTEGER;
      return (await pool.one(query(JOURNAL, accountId, before, limit))).map(ENTRY.rowOf);
    },
    systemJournal: async (account, { limit, after }) => {
      const from = after
        ? ([after.atMs, after.id.slice(0, after.id.lastIndexOf(".")), readEntrySeq(after.id)] as const)
        : ([Number.MAX_SAFE_INTEGER, "", 0] as const);
      const page = `
        ${selectFrom(ENTRY)} WHERE ${account}_nano <> 0 AND (at_ms, account_id, seq) < ($1, $2, $3)
        ORDER BY at_ms DESC, account_id DESC, seq DESC LIMIT $4`;
      return (await pool.one(query(page, ...from, limit))).map(ENTRY.rowOf);
    },
    systemBalance: async (account) => {
      const sum = `SELECT CAST(coalesce(sum(${account}_nano), 0) AS TEXT) AS balance FROM entry`;
      const [found] = await pool.lookLong([query(sum)]);
      return Number(text(only(found), "balance"));
    },
    audit: async () => {
      const [accounts, stray] = await pool.lookLong([query(AUDIT_ACCOUNTS), query(AUDIT_STRAY)]);
      return readAudit(accounts ?? [], only(stray));
    },
    chargedSince: async ({ accountId, id }, sinceMs) =>
      whole(only(await pool.one(query(CHARGED, accountId, id, sinceMs - HOUR_MS))), "charged"),
    usage: async (asked) => (await looked(pool, usageLookup(asked, mark))).map(USAGE.rowOf),
    firstTokens: async (asked) => (await looked(pool, firstTokensLookup(asked, mark))).map(FIRST_TOKEN.rowOf),
  };
}

async function looked(pool: Pool, { text, values }: Lookup): Promise<readonly Found[]> {
  const [found] = await pool.lookLong([query(text, ...values)]);
  return found ?? [];
}

function only(result: Result | undefined): Found {
  return result?.[0] ?? {};
}
