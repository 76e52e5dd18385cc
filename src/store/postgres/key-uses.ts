// The charges and last uses of keys, for the console's page of keys.
import type { GatewayKey } from "../../core/keys/key.ts";
import { bind } from "../engine/engine.ts";
import { keyUsesSql, LAST_AT } from "../engine/narrowing.ts";
import type { Query } from "./connection.ts";

const HOUR_MS = 3_600_000;

/** Finds each key's last hour, and the last request within it, by an index. */
const TOGETHER = keyUsesSql("id = ANY($1::text[])", "$2", "$3", LAST_AT);

const OURS = "account_id = ANY($4::text[]) AND key_id = ANY($1::text[]) GROUP BY account_id, key_id";
/**
 * The same with one group per table, because a distributed engine refuses correlated subqueries. It reads all hours of
 * a key, so a single server uses the other form.
 */
const APART = `
  SELECT gateway_key.id,
    coalesce(used.day_nano, 0) AS day_nano,
    coalesce(used.month_nano, 0) AS month_nano,
    coalesce(spent.nano, 0) AS ever_nano,
    coalesce(latest.at_ms, used.hour_ms) AS last_at_ms
  FROM gateway_key
  LEFT JOIN (
    SELECT account_id, key_id, max(hour_ms) AS hour_ms,
      sum(CASE WHEN hour_ms > $2::bigint THEN charged_nano ELSE 0 END) AS day_nano,
      sum(CASE WHEN hour_ms > $3::bigint THEN charged_nano ELSE 0 END) AS month_nano
    FROM hourly_usage WHERE ${OURS}
  ) AS used ON used.key_id = gateway_key.id
  LEFT JOIN (SELECT account_id, key_id, sum(spent_nano) AS nano FROM spend WHERE ${OURS}) AS spent
    ON spent.key_id = gateway_key.id
  LEFT JOIN (
    SELECT request.account_id, request.key_id, max(request.at_ms) AS at_ms
    FROM request JOIN (SELECT account_id, key_id, max(hour_ms) AS hour_ms FROM hourly_usage WHERE ${OURS}) AS last_hour
      ON last_hour.account_id = request.account_id AND last_hour.key_id = request.key_id
    WHERE request.account_id = ANY($4::text[]) AND request.at_ms >= last_hour.hour_ms
      AND request.at_ms < last_hour.hour_ms + ${HOUR_MS}
    GROUP BY request.account_id, request.key_id
  ) AS latest ON latest.key_id = gateway_key.id
  WHERE gateway_key.id = ANY($1::text[])`;

/** Takes the start of the day and of its month. */
export function composeKeyUses(
  keys: readonly Pick<GatewayKey, "id" | "accountId">[],
  dayMs: number,
  monthMs: number,
  isDistributed: boolean,
): Query {
  const ids = keys.map(({ id }) => id);
  const sinceMs = [dayMs - HOUR_MS, monthMs - HOUR_MS] as const;
  if (!isDistributed) return bind(TOGETHER, ids, ...sinceMs);
  return bind(APART, ids, ...sinceMs, [...new Set(keys.map(({ accountId }) => accountId))]);
}
