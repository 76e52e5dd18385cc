// The rules that a store's file keeps while no request is open, as SQL that finds violations.
import type { Database } from "bun:sqlite";
import { OPEN_NOTES } from "../harness/noted.ts";

interface Rule {
  readonly says: string;
  /** Returns a row for each violation. */
  readonly finds: string;
}

/** The journal's sums by request. */
const MOVED = `
  SELECT account_id, request_id, sum(revenue_nano + overrun_nano) AS charged, sum(revenue_nano) AS due, sum(held_nano) AS held,
    sum(kind = 'hold') AS holds, sum(kind IN ('post', 'void')) AS ends
  FROM entry WHERE request_id IS NOT NULL GROUP BY account_id, request_id`;

export const RULES: readonly Rule[] = [
  {
    says: "the sum over all accounts is zero",
    finds: `SELECT * FROM (SELECT
        (SELECT coalesce(sum(balance_nano + held_nano), 0) FROM account) +
        (SELECT coalesce(sum(funding_nano + revenue_nano + overrun_nano), 0) FROM entry) AS nano
      ) WHERE nano <> 0`,
  },
  {
    says: "an account's columns are what its journal comes to",
    finds: `SELECT id, balance_nano, held_nano, account.entries, journal.* FROM account LEFT JOIN (
        SELECT account_id, sum(balance_nano) AS balance, sum(held_nano) AS held, count(*) AS entries, max(seq) AS last
        FROM entry GROUP BY account_id
      ) AS journal ON journal.account_id = id
      WHERE balance_nano <> coalesce(balance, 0) OR held_nano <> coalesce(held, 0)
        OR account.entries <> coalesce(journal.entries, 0) OR account.entries <> coalesce(last, 0)`,
  },
  {
    says: "each entry goes on from the balance of the one before",
    finds: `SELECT * FROM (
        SELECT account_id, seq, balance_nano, balance_after_nano AS after,
          coalesce(lag(balance_after_nano) OVER (PARTITION BY account_id ORDER BY seq), 0) AS before FROM entry
      ) WHERE after <> before + balance_nano`,
  },
  {
    says: "nothing is held of an account but by its open holds",
    finds: `SELECT id, account.held_nano FROM account
      WHERE held_nano <> (SELECT coalesce(sum(hold.held_nano), 0) FROM hold WHERE account_id = account.id)`,
  },
  { says: "no hold is left", finds: "SELECT id, node, held_nano FROM hold" },
  { says: "no noted request is without a row", finds: OPEN_NOTES },
  {
    says: "what a key has spent is what its requests were charged",
    finds: `SELECT spend.key_id, spent_nano, held_nano, charged FROM spend LEFT JOIN (
        SELECT key_id, sum(charged_nano) AS charged FROM request GROUP BY key_id
      ) AS log ON log.key_id = spend.key_id WHERE spent_nano <> coalesce(charged, 0) OR held_nano <> 0`,
  },
  {
    says: "a request's entries come to what its row says was charged, and its hold ended once",
    finds: `SELECT id, ended, charged_nano, hold_nano, moved.* FROM request
      LEFT JOIN (${MOVED}) AS moved ON moved.account_id = request.account_id AND moved.request_id = id
      WHERE coalesce(charged, 0) <> charged_nano OR coalesce(held, 0) <> 0
        OR coalesce(holds, 0) <> (hold_nano > 0) OR coalesce(ends, 0) <> (hold_nano > 0)`,
  },
  {
    says: "no entry is of a request without a row",
    finds: `SELECT account_id, seq, request_id FROM entry WHERE request_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM request WHERE account_id = entry.account_id AND id = entry.request_id)`,
  },
  {
    says: "what was held for is charged at its cost unless it is lost, and what produced nothing costs nothing",
    // If it was lost and settled late, what the balance doesn't cover is written off.
    finds: `SELECT id, ended, usage_source, cost_nano, charged_nano, late FROM request
      LEFT JOIN (${MOVED}) AS moved ON moved.account_id = request.account_id AND moved.request_id = id
      WHERE CASE WHEN late THEN coalesce(due, 0) ELSE charged_nano END <>
          CASE WHEN hold_nano > 0 AND usage_source <> 'none' AND ended <> 'lost' THEN cost_nano ELSE 0 END
        OR (usage_source = 'none') <> (cost_nano = 0)`,
  },
  {
    says: "a request has one row",
    finds:
      "SELECT request_id, count(*) AS rows FROM request WHERE request_id <> '' GROUP BY request_id HAVING rows > 1",
  },
  {
    // Refused requests without a row are counted, too.
    says: "the hours' sums are those of the requests",
    finds: `SELECT * FROM
        (SELECT outcome, count(*) AS logged, sum(cost_nano) AS cost, sum(charged_nano) AS charged FROM request GROUP BY 1)
      FULL JOIN
        (SELECT outcome, sum(requests) AS summed, sum(cost_nano) AS summed_cost, sum(charged_nano) AS summed_charged
          FROM hourly_usage GROUP BY 1) USING (outcome)
      WHERE coalesce(cost, 0) <> coalesce(summed_cost, 0) OR coalesce(charged, 0) <> coalesce(summed_charged, 0)
        OR coalesce(logged, 0) > coalesce(summed, 0)
        OR (outcome = 'answered' AND coalesce(logged, 0) <> coalesce(summed, 0))`,
  },
  {
    says: "places are taken by the free requests that produced something, and by no others",
    finds: `SELECT * FROM (
        SELECT gateway_key.id, (SELECT coalesce(sum(used), 0) FROM meter WHERE owner = gateway_key.id) AS used,
          (SELECT count(*) FROM request
            WHERE key_id = gateway_key.id AND hold_nano = 0 AND usage_source <> 'none' AND NOT late) AS produced
        FROM gateway_key WHERE requests_per_day NOT IN ('null', '0')
      ) WHERE used <> produced`,
  },
  {
    says: "no kept reply waits for a request that is gone",
    finds: "SELECT id, request_id FROM reply WHERE state = 'pending'",
  },
  {
    says: "what replies are kept is what the account says",
    finds: `SELECT id, kept_characters FROM account WHERE kept_characters <>
      (SELECT coalesce(sum(length(sealed)), 0) FROM reply WHERE account_id = account.id)`,
  },
];

const SHOWN = 3;

/** Returns the errors of the file: damage, and each broken rule with its first places. */
export function brokenRules(database: Database): readonly string[] {
  const found: string[] = [];
  for (const pragma of ["integrity_check", "foreign_key_check"]) {
    const rows = database.query<Record<string, unknown>, []>(`PRAGMA ${pragma}`).all();
    const wrong = rows.filter((row) => row.integrity_check !== "ok");
    if (wrong.length > 0) found.push(`${pragma}: ${JSON.stringify(wrong.slice(0, SHOWN))}`);
  }
  for (const { says, finds } of RULES) {
    const rows = database.query(finds).all();
    if (rows.length > 0) {
      found.push(`not true in ${rows.length} places: ${says}: ${JSON.stringify(rows.slice(0, SHOWN))}`);
    }
  }
  return found;
}
