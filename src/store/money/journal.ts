// Journals of accounts, with what else is known of their entries, and what is deleted of a closed account.

import { type Entry, type EntryFacts, type JournalStore, readEntrySeq } from "../../core/books/journal.ts";
import type { Store } from "../../core/store.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import { joinMarks, quoteLiteral, selectSql } from "../engine/sql.ts";
import { ENTRY, MOVEMENT } from "../schema/tables.ts";

export function journalMethods({ mark, run, runSlowReads }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const journal = (without: readonly Entry["kind"][]) => `${selectSql(ENTRY)}
    WHERE account_id = ${first} AND seq < ${second}
      ${without.length === 0 ? "" : `AND kind NOT IN (${without.map(quoteLiteral).join(", ")})`}
    ORDER BY seq DESC LIMIT ${third}`;
  const movements = `${selectSql(MOVEMENT)} WHERE account_id = ${first} AND seq BETWEEN ${second} AND ${third}`;
  const held = `SELECT seq, CAST(held AS TEXT) AS held FROM (
      SELECT seq, sum(held_nano) OVER (ORDER BY seq) AS held FROM entry WHERE account_id = ${first} AND seq <= ${second}
    ) AS summed WHERE seq >= ${third}`;
  const ids = (count: number) => `SELECT id, request_id FROM request
    WHERE account_id = ${first} AND id IN (${joinMarks(count, (at) => mark(at + 1))})`;
  return {
    entries: async (accountId, { limit, after }, without = []) => {
      const before = after ? readEntrySeq(after.id) : Number.MAX_SAFE_INTEGER;
      return (await run(bind(journal(without), accountId, before, limit))).map(ENTRY.rowOf);
    },
    findFacts: async (accountId, entries): Promise<EntryFacts> => {
      const newest = entries[0];
      const oldest = entries.at(-1);
      if (newest === undefined || oldest === undefined)
        return { movements: new Map(), requestIds: new Map() };
      const moved = (await run(bind(movements, accountId, oldest.seq, newest.seq))).map(MOVEMENT.rowOf);
      const asked = [...new Set(entries.map(({ requestId }) => requestId))].filter((id) => id !== null);
      const found = asked.length === 0 ? [] : await run(bind(ids(asked.length), accountId, ...asked));
      return {
        movements: new Map(moved.map((movement) => [movement.seq ?? 0, movement])),
        requestIds: new Map(found.map((row) => [readText(row, "id"), readText(row, "request_id")])),
      };
    },
    unfinishedClosings: async (most) => {
      const [found] = await runSlowReads([bind(composeUnfinished(mark), most)]);
      return (found ?? []).map((row) => readText(row, "id"));
    },
    heldAfter: async (accountId, entries) => {
      const numbers = entries.map(({ seq }) => seq);
      const found = await run(bind(held, accountId, Math.max(...numbers), Math.min(...numbers)));
      return new Map(found.map((row) => [readInteger(row, "seq"), readInteger(row, "held")]));
    },
  } satisfies Partial<JournalStore>;
}

/** The tables with what is kept of an account beyond its books and its log. Replies that a request still fills stay. */
const KEPT = [
  ["content", ""],
  ["stored_response", ""],
  ["put_record", ""],
  ["cached_answer", ""],
  // Their pieces are swept once no row names them.
  ["file", ""],
  ["reply", "AND state <> 'pending'"],
] as const;

/** A batch that hasn't ended still writes the answers that were paid, some of which are kept as replies. */
const hasBatches = (accountId: string) =>
  `EXISTS (SELECT 1 FROM batch WHERE account_id = ${accountId} AND open_at_ms IS NOT NULL)`;

/** Finds closed accounts with keys that haven't ended, or with something that is kept, which no batch needs. */
function composeUnfinished(mark: Engine["mark"]): string {
  const live = "EXISTS (SELECT 1 FROM gateway_key WHERE account_id = account.id AND revoked_at_ms IS NULL)";
  const kept = KEPT.map(
    ([table, rows]) => `EXISTS (SELECT 1 FROM ${table} WHERE account_id = account.id ${rows})`,
  );
  const left = `${live} OR (NOT ${hasBatches("account.id")} AND (${kept.join(" OR ")}))`;
  return `SELECT id FROM account WHERE closing_at_ms IS NOT NULL AND (${left}) ORDER BY id LIMIT ${mark(1)}`;
}

/** `ofRows` is for changes to rows that decisions depend on. */
export function purgeMethods({ mark, forUpdate, change }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const lock = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  const remove = KEPT.map(
    ([
      table,
      rows,
    ]) => `DELETE FROM ${table} WHERE account_id = ${first} AND NOT ${hasBatches(first)} AND id IN (
      SELECT id FROM ${table} WHERE account_id = ${first} ${rows} LIMIT ${second})`,
  );
  // Their characters are counted again once the last of them is gone.
  const count = `UPDATE account SET kept_characters = (
      SELECT CAST(coalesce(sum(length(sealed)), 0) AS BIGINT) FROM reply WHERE account_id = ${first})
    WHERE id = ${first}`;
  return {
    purgeAccount: (accountId, rowsMax) =>
      change([bind(lock, accountId)], () => ({
        writes: [...remove.map((text) => bind(text, accountId, rowsMax)), bind(count, accountId)],
        toResult: (written) => written.slice(0, KEPT.length).reduce((sum, { count: gone }) => sum + gone, 0),
      })),
  } satisfies Partial<Store>;
}
