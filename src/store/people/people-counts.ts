// Counts people by the facts from which their state follows.
import type { PeopleCount, PeopleStore } from "../../core/people/people.ts";
import { bind, type Engine, runLookup } from "../engine/engine.ts";
import { type FoundRow, readInteger } from "../engine/found.ts";

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
  return {
    countPeople: async () => (await runLookup(engine, { ...bind(counted), isBounded: false })).map(readCount),
  } satisfies Partial<PeopleStore>;
}

const COUNTED = ["is_anonymised", "is_shut", "is_deactivated", "has_rules", "is_in_doubt"] as const;

function readCount(found: FoundRow): PeopleCount {
  const [
    isAnonymised = false,
    isDisabled = false,
    isDeactivated = false,
    hasRules = false,
    isInDoubt = false,
  ] = COUNTED.map((column) => readInteger(found, column) === 1);
  return {
    isAnonymised,
    isDisabled,
    isDeactivated,
    hasRules,
    isInDoubt,
    people: readInteger(found, "people"),
  };
}
