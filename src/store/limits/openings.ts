// The sums of what an owner used within a window, with which a new budget opens.
import type { ModelSum, Opening } from "../../core/limits/opening.ts";
import { type FoundRow, readSum, readText, type Value } from "../columns/found.ts";
import type { Engine } from "../engine/engine.ts";
import type { Mark } from "../engine/sql.ts";

const HOUR_MS = 3_600_000;

/**
 * Sums hours, and the requests of a first hour that the window begins within. Values: the account, the window's start,
 * the start of its first whole hour, and the key's id and the member's, or empty texts for all of the account.
 */
export function composeOpeningSums(mark: Mark): string {
  const key = mark(4);
  const member = mark(5);
  const where = `account_id = ${mark(1)} AND (${key} = '' OR key_id = ${key})
        AND (${member} = '' OR key_id IN (SELECT id FROM gateway_key WHERE member_id = ${member}))`;
  return composeSums({ by: "model", where, from: mark(2), hour: mark(3) });
}

/** The same by account. The first value is a list of accounts in JSON, and the others are the two times. */
export function composeAccountSums({ mark, isListed }: Pick<Engine, "mark" | "isListed">): string {
  const where = isListed("account_id", mark(1));
  return composeSums({ by: "account_id, model", where, from: mark(2), hour: mark(3) });
}

interface SumsTerms {
  /** The columns that are grouped by. */
  readonly by: string;
  /** The condition on both tables. */
  readonly where: string;
  readonly from: string;
  readonly hour: string;
}

function composeSums({ by, where, from, hour }: SumsTerms): string {
  return `SELECT ${by}, sum(cost_nano) AS cost FROM (
      SELECT account_id, model, cost_nano FROM hourly_usage
      WHERE ${where} AND hour_ms >= ${hour}
      UNION ALL
      SELECT account_id, coalesce(model_used, model_tried, '') AS model, cost_nano FROM request
      WHERE ${where} AND at_ms >= ${from} AND at_ms < ${hour}
    ) AS used GROUP BY ${by} HAVING sum(cost_nano) > 0`;
}

export function listOpeningValues(accountId: string, { keyId, memberId, fromMs }: Opening): readonly Value[] {
  return [accountId, ...listTimes(fromMs), keyId ?? "", memberId ?? ""];
}

/** Returns a window's start and the start of its first whole hour. */
export function listTimes(fromMs: number): readonly Value[] {
  return [fromMs, Math.ceil(fromMs / HOUR_MS) * HOUR_MS];
}

export function readModelSum(row: FoundRow): ModelSum {
  return { model: readText(row, "model"), costNanoUsd: readSum(row, "cost") };
}
