// The sums of what an owner used within a window, with which a new budget opens.
import type { ModelSum, Opening } from "../../core/limits/opening.ts";
import { type FoundRow, readSum, readText, type Value } from "../columns/found.ts";
import type { Mark } from "../engine/sql.ts";

const HOUR_MS = 3_600_000;

/**
 * Sums hours, and the requests of a first hour that the window begins within. Values: the account, the window's start,
 * the start of its first whole hour, and the key's id and the member's, or empty texts for all of the account.
 */
export function composeOpeningSums(mark: Mark): string {
  const account = mark(1);
  const from = mark(2);
  const hour = mark(3);
  const key = mark(4);
  const member = mark(5);
  const ofMember = `(${member} = '' OR key_id IN (SELECT id FROM gateway_key WHERE member_id = ${member}))`;
  return `SELECT model, sum(cost_nano) AS cost FROM (
      SELECT model, cost_nano FROM hourly_usage
      WHERE account_id = ${account} AND hour_ms >= ${hour} AND (${key} = '' OR key_id = ${key})
        AND ${ofMember}
      UNION ALL
      SELECT coalesce(model_used, model_tried, '') AS model, cost_nano FROM request
      WHERE account_id = ${account} AND at_ms >= ${from} AND at_ms < ${hour} AND (${key} = '' OR key_id = ${key})
        AND ${ofMember}
    ) AS used GROUP BY model HAVING sum(cost_nano) > 0`;
}

export function listOpeningValues(accountId: string, { keyId, memberId, fromMs }: Opening): readonly Value[] {
  return [accountId, fromMs, Math.ceil(fromMs / HOUR_MS) * HOUR_MS, keyId ?? "", memberId ?? ""];
}

export function readModelSum(row: FoundRow): ModelSum {
  return { model: readText(row, "model"), costNanoUsd: readSum(row, "cost") };
}
