// The limits of members, as stored: an account's defaults, and the limits of the rules that matched a person.
import { asArray, asNumber, asObject, parseJson } from "../../core/json/json.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import type { GivenLimits, MemberDefaults } from "../../core/limits/member-limits.ts";
import { type Grant, ROLES } from "../../core/people/people.ts";
import { readBudget } from "./budget-column.ts";
import type { FoundRow } from "./found.ts";

/** By their text: a row is read for each request of a personal key. */
class ParseCache<Value> {
  readonly #known = new Map<string, Value>();
  readonly #parse: (json: string) => Value;

  constructor(parse: (json: string) => Value) {
    this.#parse = parse;
  }

  read(json: string): Value {
    if (this.#known.size >= KNOWN_MAX && !this.#known.has(json)) this.#known.clear();
    return this.#known.getOrInsertComputed(json, this.#parse);
  }
}

const KNOWN_MAX = 1000;

const defaults = new ParseCache((json): MemberDefaults => {
  const stored = asObject(parseJson(json));
  return {
    ...readLimits(stored),
    budgets: asArray(stored.budgets).map(readBudget),
    keys: asNumber(stored.keys) ?? null,
  };
});

const rules = new ParseCache((json): readonly GivenLimits[] =>
  asArray(parseJson(json)).map((value) => {
    const stored = asObject(value);
    return {
      ...readLimits(stored),
      budgets: Array.isArray(stored.budgets) ? stored.budgets.map(readBudget) : null,
      accountIds: readTexts(stored.accountIds),
    };
  }),
);

const grants = new ParseCache((json): readonly Grant[] => asArray(parseJson(json)).flatMap(readGrant));

/** A role that this version doesn't know grants nothing. */
function readGrant(value: unknown): readonly Grant[] {
  const { role, accountId, readsContent } = asObject(value);
  const known = ROLES.find((one) => one === role);
  return known === undefined
    ? []
    : [
        {
          role: known,
          accountId: typeof accountId === "string" ? accountId : null,
          ...(readsContent === true ? { readsContent } : {}),
        },
      ];
}

export function parseGrants(json: string): readonly Grant[] {
  return grants.read(json);
}

export function parseMemberDefaults(json: string): MemberDefaults {
  return defaults.read(json);
}

const NONE: readonly GivenLimits[] = [];

/** Reads `rule_limits` of a member's row. */
export function readRules({ rule_limits: json }: FoundRow): readonly GivenLimits[] {
  return typeof json === "string" ? rules.read(json) : NONE;
}

function readLimits(stored: Record<string, unknown>) {
  return {
    ...mapLimits(MINUTE_LIMITS, "property", ({ property }) => asNumber(stored[property]) ?? null),
    allowedModels: readTexts(stored.allowedModels),
    allowedTools: readTexts(stored.allowedTools),
  };
}

function readTexts(stored: unknown): readonly string[] | null {
  return Array.isArray(stored) ? stored.filter((text) => typeof text === "string") : null;
}
