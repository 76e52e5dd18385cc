// Journals of system accounts, sums and the audit.

import { type JournalStore, readEntrySeq, type SystemAccount } from "../../core/books/journal.ts";
import type { FirstTokenSum } from "../../core/log/usage-sum.ts";
import type { Store } from "../../core/store.ts";
import type { Page } from "../../core/world/page.ts";
import { type FoundRow, readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, type Statement } from "../engine/engine.ts";
import { AUDIT_ACCOUNTS, AUDIT_STRAY, OWING, readAudit, selectSql } from "../engine/sql.ts";
import { AUDIT_OWNERS, AUDIT_PLACES, auditLimits } from "../limits/limit-audit.ts";
import { composeDecisionSums, readDecisionSum } from "../log/decision-sums.ts";
import { composeRowSums, readRowSum } from "../log/row-sums.ts";
import { busiestKeysLookup, firstTokensLookup, readBusiestKeys, usageLookups } from "../log/usage-lookups.ts";
import { FIRST_TOKEN, USAGE } from "../schema/log-tables.ts";
import { ENTRY } from "../schema/tables.ts";

const HOUR_MS = 3_600_000;

/** The leg of a system account, and the condition for entries that involve it. */
const SYSTEM_LEGS: Readonly<Record<SystemAccount, { readonly leg: string; readonly rows: string }>> = {
  funding: { leg: "funding_nano", rows: "funding_nano <> 0" },
  revenue: { leg: "revenue_nano", rows: "revenue_nano <> 0" },
  overrun: { leg: "overrun_nano", rows: `overrun_nano <> 0 AND NOT (${OWING})` },
  receivable: { leg: "overrun_nano", rows: `overrun_nano <> 0 AND ${OWING}` },
};

const KEPT_CHARACTERS = "SELECT CAST(coalesce(sum(kept_characters), 0) AS BIGINT) AS characters FROM account";

/** The journals of system accounts. */
export function systemJournalMethods({ mark, run, runSlowReads }: Engine) {
  return {
    systemEntries: async (account, page) => {
      const entries = `${selectSql(ENTRY)}
        WHERE ${SYSTEM_LEGS[account].rows} AND (at_ms, account_id, seq) < (${mark(1)}, ${mark(2)}, ${mark(3)})
        ORDER BY at_ms DESC, account_id DESC, seq DESC LIMIT ${mark(4)}`;
      return (await run(bind(entries, ...entryBefore(page), page.limit))).map(ENTRY.rowOf);
    },
    systemBalance: async (account) => {
      const { leg, rows } = SYSTEM_LEGS[account];
      const sum = `SELECT CAST(coalesce(sum(${leg}), 0) AS TEXT) AS balance FROM entry WHERE ${rows}`;
      return Number(readText(only((await runSlowReads([bind(sum)]))[0]), "balance"));
    },
  } satisfies Partial<JournalStore>;
}

export function bookMethods(engine: Engine) {
  const { mark, run, runSlowReads } = engine;
  const first = mark(1);
  const second = mark(2);
  const spent = `SELECT coalesce(sum(charged_nano), 0) AS charged, coalesce(sum(cost_nano), 0) AS cost FROM hourly_usage
    WHERE key_id = ${first} AND hour_ms > ${second}`;
  const looked = async (statement: Statement) => (await runSlowReads([statement]))[0] ?? [];
  return {
    audit: async () => {
      const asked = [AUDIT_ACCOUNTS, AUDIT_STRAY, AUDIT_OWNERS, AUDIT_PLACES].map((text) => bind(text));
      const [accounts, stray, owners, holds] = await runSlowReads(asked);
      return { ...readAudit(accounts ?? [], only(stray)), limits: auditLimits(owners ?? [], holds ?? []) };
    },
    keptCharacters: async () => readInteger(only(await run(bind(KEPT_CHARACTERS))), "characters"),
    spentSince: async ({ id }, sinceMs) => {
      const found = only(await run(bind(spent, id, sinceMs - HOUR_MS)));
      return { chargedNanoUsd: readInteger(found, "charged"), costNanoUsd: readInteger(found, "cost") };
    },
    usage: async (asked) => (await runSlowReads(usageLookups(asked, mark))).flat().map(USAGE.rowOf),
    busiestKeys: async (asked, most) => readBusiestKeys(await looked(busiestKeysLookup(asked, most, mark))),
    rowSums: async (asked) => (await looked(composeRowSums(asked, engine))).map(readRowSum),
    decisionSums: async (asked) => (await looked(composeDecisionSums(asked, engine))).map(readDecisionSum),
    firstTokens: async (asked) => (await looked(firstTokensLookup(asked, mark))).map(readFirstTokens),
  } satisfies Partial<Store>;
}

/** Returns the time, account and number of a page's position. Without one, a position before the newest entry. */
function entryBefore({ after }: Page): readonly [atMs: number, accountId: string, seq: number] {
  if (after === null) return [Number.MAX_SAFE_INTEGER, "", 0];
  return [after.atMs, after.id.slice(0, after.id.lastIndexOf(".")), readEntrySeq(after.id)];
}

function readFirstTokens(row: FoundRow): FirstTokenSum {
  return { ...FIRST_TOKEN.rowOf(row), member: readText(row, "member") };
}

function only(found: readonly FoundRow[] | undefined): FoundRow {
  return found?.[0] ?? {};
}
