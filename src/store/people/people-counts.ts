// Counts people by the facts from which their state follows.
import type { PeopleCount, PeopleStore } from "../../core/people/people.ts";
import { type FoundRow, readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, runLookup } from "../engine/engine.ts";

export function countMethods(engine: Engine) {
  const flag = (condition: string, name: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END AS ${name}`;
  const facts = [
    flag("anonymised_at_ms IS NOT NULL", "is_anonymised"),
    flag("is_disabled = 1", "is_shut"),
    flag("deactivated_at_ms IS NOT NULL", "is_deactivated"),
    flag("rule_grants <> '[]'", "has_rules"),
    flag("coalesce(doubt_since_ms, 0) > seen_at_ms", "is_in_doubt"),
  ];
  const counted = `SELECT ${facts.join(", ")}, count(*) AS people FROM member GROUP BY 1, 2, 3, 4, 5`;
  const { mark, itemsOf, asJson, isListed } = engine;
  const named = (grants: string, condition: string) =>
    `SELECT member.id AS id, item.value->>'accountId' AS account_id
      FROM member CROSS JOIN ${itemsOf(asJson(grants))} WHERE ${condition}`;
  // Somebody with several grants for an account counts once there.
  const granted = `SELECT account_id, count(*) AS counted
    FROM (${named("rule_grants", "1 = 1")} UNION ${named("own_grants", `(own_until_ms IS NULL OR own_until_ms > ${mark(2)})`)}) AS named
    WHERE ${isListed("account_id", mark(1))} GROUP BY account_id`;
  const owned = `SELECT account_id, count(*) AS counted FROM gateway_key
    WHERE revoked_at_ms IS NULL AND ${isListed("account_id", mark(1))} GROUP BY account_id`;
  return {
    countByAccount: async (accountIds, nowMs) => {
      const ids = JSON.stringify(accountIds);
      const [keys = [], people = []] = await engine.runSlowReads([
        bind(owned, ids),
        bind(granted, ids, nowMs),
      ]);
      return { keys: readCounts(keys), people: readCounts(people) };
    },
    countPeople: async () => (await runLookup(engine, { ...bind(counted), isBounded: false })).map(readCount),
  } satisfies Partial<PeopleStore>;
}

function readCounts(found: readonly FoundRow[]): ReadonlyMap<string, number> {
  return new Map(found.map((row) => [readText(row, "account_id"), readInteger(row, "counted")]));
}

const COUNTED = ["is_anonymised", "is_shut", "is_deactivated", "has_rules", "is_in_doubt"] as const;

function readCount(row: FoundRow): PeopleCount {
  const [
    isAnonymised = false,
    isDisabled = false,
    isDeactivated = false,
    hasRules = false,
    isInDoubt = false,
  ] = COUNTED.map((column) => readInteger(row, column) === 1);
  return {
    isAnonymised,
    isDisabled,
    isDeactivated,
    hasRules,
    isInDoubt,
    people: readInteger(row, "people"),
  };
}
