// The SQLite store's journals, sums, and holds that were left behind.
import type { Hold } from "../../core/rows.ts";
import { readEntrySeq, type Store } from "../../core/store.ts";
import { text, whole } from "../found.ts";
import { FIRST_TOKEN, USAGE } from "../log-tables.ts";
import { firstTokensLookup, usageLookup } from "../narrowing.ts";
import { readAudit } from "../sql.ts";
import { ENTRY, HOLD } from "../tables.ts";
import type { Lifeline } from "./lifeline.ts";
import { hasEnded } from "./node-lock.ts";
import type { Statements } from "./statements.ts";
import { oneATurn } from "./turns.ts";

const HOUR_MS = 3_600_000;
const mark = (position: number) => `?${position}`;

type BookMethods = Pick<
  Store,
  | "orphans"
  | "journal"
  | "systemJournal"
  | "systemBalance"
  | "audit"
  | "chargedSince"
  | "usage"
  | "firstTokens"
>;

/** `file` is null for a database in memory, which nobody shares. */
export function bookMethods(
  lifeline: Lifeline,
  own: { readonly file: string | null; readonly node: string },
): BookMethods {
  const inTurn = oneATurn();
  return {
    orphans: (most) => lifeline.run(({ sql }) => findOrphans(sql, own.file, own.node, most)),
    journal: (accountId, { limit, after }) =>
      lifeline.run(({ sql }) =>
        sql.journal
          .all(accountId, after ? readEntrySeq(after.id) : Number.MAX_SAFE_INTEGER, limit)
          .map(ENTRY.rowOf),
      ),
    systemJournal: (account, { limit, after }) =>
      lifeline.run(({ sql }) => {
        const from = after
          ? [after.atMs, after.id.slice(0, after.id.lastIndexOf(".")), readEntrySeq(after.id)]
          : [Number.MAX_SAFE_INTEGER, "", 0];
        return sql
          .systemJournal(account)
          .all(...from, limit)
          .map(ENTRY.rowOf);
      }),
    systemBalance: (account) =>
      lifeline.run(({ sql }) => Number(text(sql.systemBalance(account).get() ?? {}, "balance"))),
    audit: () =>
      lifeline.run((connection) =>
        connection.look(() =>
          readAudit(connection.sql.auditAccounts.all(), connection.sql.auditStray.get() ?? {}),
        ),
      ),
    chargedSince: ({ id }, sinceMs) =>
      lifeline.run(({ sql }) => whole(sql.chargedSince.get(id, sinceMs - HOUR_MS) ?? {}, "charged")),
    usage: (query) =>
      inTurn(() => lifeline.run(({ sql }) => sql.look(usageLookup(query, mark)).map(USAGE.rowOf))),
    firstTokens: (query) =>
      inTurn(() =>
        lifeline.run(({ sql }) => sql.look(firstTokensLookup(query, mark)).map(FIRST_TOKEN.rowOf)),
      ),
  };
}

function findOrphans(sql: Statements, file: string | null, own: string, most: number): readonly Hold[] {
  const orphans: Hold[] = [];
  for (const { node } of sql.holdNodes.all()) {
    if (node === own || (file !== null && !hasEnded(file, node))) continue;
    orphans.push(...sql.holdsOfNode.all(node, most - orphans.length).map(HOLD.rowOf));
  }
  return orphans;
}
