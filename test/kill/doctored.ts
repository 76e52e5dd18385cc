// One violation of each of the audit's rules, on a copy of a store's file.
import { Database } from "bun:sqlite";
import { copyFileSync, rmSync } from "node:fs";
import { brokenRules } from "./rules.ts";

const ONE_REQUEST = "(SELECT id FROM request WHERE charged_nano > 0 LIMIT 1)";
const LAST_ENTRY = "(SELECT account_id || ' ' || max(seq) FROM entry GROUP BY account_id LIMIT 1)";

/** By a phrase of the finding. */
export const BREAKS: Readonly<Record<string, string>> = {
  // Only a full check finds that a column's bound is violated.
  integrity_check: "UPDATE meter SET used = -1",
  foreign_key_check: "INSERT INTO spend VALUES ('nobody', 'key', 0, 0)",
  "the sum over all accounts is zero":
    "UPDATE account SET balance_nano = balance_nano + 1 WHERE id = 'default'",
  "an account's columns are what its journal comes to":
    "UPDATE account SET entries = entries + 1 WHERE id = 'default'",
  "each entry goes on from the balance of the one before": `UPDATE entry SET balance_after_nano = balance_after_nano + 1
    WHERE account_id || ' ' || seq = ${LAST_ENTRY}`,
  "nothing is held of an account but by its open holds":
    "UPDATE account SET held_nano = 1 WHERE id = 'default'",
  "no hold is left": `
    INSERT INTO hold (account_id, id, key_id, node, at_ms, request_id, model_asked, stream, place, held_nano)
    SELECT account_id, 'x', key_id, 'node_x', 0, 'x', 'x', 0, '{}', 0 FROM request LIMIT 1`,
  "no noted request is without a row":
    "UPDATE meter SET noted = '@node_x' || char(10) || 'x' || char(9) || '0'",
  "what a key has spent is what its requests were charged": "UPDATE spend SET spent_nano = spent_nano + 1",
  "a request's entries come to what its row says was charged, and its hold ended once": `
    INSERT INTO entry SELECT account_id, 1000000, at_ms, kind, balance_nano, held_nano, 0, revenue_nano, 0,
      balance_after_nano, request_id, usage_source, ended, note, held_after_nano
    FROM entry WHERE request_id = ${ONE_REQUEST} AND kind = 'post'`,
  "no entry is of a request without a row": `DELETE FROM request WHERE id = ${ONE_REQUEST}`,
  "what was held for is charged at its cost unless it is lost, and what produced nothing costs nothing": `
    UPDATE request SET charged_nano = 0 WHERE id = ${ONE_REQUEST}`,
  "a request has one row": `UPDATE request
    SET request_id = (SELECT max(request_id) FROM request WHERE id <> ${ONE_REQUEST}) WHERE id = ${ONE_REQUEST}`,
  "the hours' sums are those of the requests": "UPDATE hourly_usage SET requests = requests + 1",
  "places are taken by the free requests that produced something, and by no others":
    "UPDATE meter SET used = used + 1",
  "no kept reply waits for a request that is gone": "UPDATE reply SET state = 'pending'",
  "what replies are kept is what the account says":
    "UPDATE account SET kept_characters = kept_characters + 1",
};

/** Returns the audit's findings in a copy of the file damaged in this way. */
export function foundAfter(path: string, sql: string): readonly string[] {
  const copy = `${path}-doctored`;
  copyFileSync(path, copy);
  const database = new Database(copy);
  try {
    database.run("PRAGMA foreign_keys = OFF");
    database.run("PRAGMA ignore_check_constraints = ON");
    database.run(sql);
    database.close();
    const read = new Database(copy);
    const found = brokenRules(read);
    read.close();
    return found;
  } finally {
    for (const left of ["", "-wal", "-shm"]) rmSync(copy + left, { force: true });
  }
}
