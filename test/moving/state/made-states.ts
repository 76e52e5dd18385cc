// States made by chance from the tables of fields, each as a file has it once nothing in it stands at its default.
import { ACCOUNT_FIELDS } from "../../../src/core/fields/account.ts";
import type { Field, Fields, KindName, WireBudget } from "../../../src/core/fields/field.ts";
import { KEY_FIELDS } from "../../../src/core/fields/key.ts";
import { TOKEN_FIELDS } from "../../../src/core/fields/token.ts";
import { DAY, NOON } from "../../harness/samples.ts";
import type { Dice } from "../../sim/dice.ts";

type Made = Readonly<Record<string, unknown>>;
export interface MadeState {
  readonly accounts: readonly Made[];
  readonly keys: readonly Made[];
  readonly aliases: readonly Made[];
  readonly tokens: readonly Made[];
}

const PIECES = [
  "app",
  "yes",
  "null",
  "~",
  "3",
  "- a",
  "#b: c",
  "'q'",
  '"',
  "é",
  "界",
  "🙂",
  "{x",
  "%",
  "a b",
];
const MODELS = ["OpenAI#gpt-5.4", "Anthropic#*", "Router#best", "DeepSeek#deepseek-v4-pro", "OpenAI#gpt-4o"];
const ADDRESSES = ["10.0.0.0/8", "203.0.113.7", "2001:db8::/32"];
const ZONES = ["Europe/Berlin", "UTC", "America/New_York"];
const ROLES = ["viewer", "operator", "billing", "manager", "admin"];
const TARGETS = ["OpenAI#gpt-5.4", "Anthropic#claude-sonnet-5", "OpenAI#gpt-4o"];

function some<One>(dice: Dice, list: readonly One[]): readonly One[] {
  const chosen = list.filter(() => dice.chance(0.4));
  return chosen.length > 0 ? chosen : [dice.pick(list)];
}

function makeText(dice: Dice): string {
  return Array.from({ length: dice.int(1, 3) }, () => dice.pick(PIECES)).join(" ");
}

function makeUsd(dice: Dice): number {
  return dice.pick([0, 0.000000001, 1.5, 50, dice.int(1, 1_000_000) / 1000]);
}

function makeMoment(dice: Dice): string {
  return new Date(NOON + dice.int(1, 300) * DAY + dice.int(0, 999)).toISOString();
}

function makeBudgets(dice: Dice, hasExtras: boolean): readonly WireBudget[] {
  const periods = some(dice, ["day", "week", "month", "total"] as const);
  return periods.map((per) => ({
    usd: makeUsd(dice),
    per,
    ...(dice.chance(0.4) ? { models: [...some(dice, ["Anthropic#*", "OpenAI#gpt-5.4"])].sort() } : {}),
    ...(dice.chance(0.4) ? { warn: [0.5, 0.9] } : {}),
    ...(dice.chance(0.3) ? { hard: false } : {}),
    ...(hasExtras && dice.chance(0.3) ? { extra_usd: 5, extra_until: makeMoment(dice) } : {}),
  }));
}

/** No tool at all is a value too. */
function makeTools(dice: Dice): readonly string[] {
  return dice.pick([[], ["*"], some(dice, ["github_*", "jira_read", "!*_delete_*"])]);
}

/** Makes a value other than the field's default. Every kind of field has one. */
const MAKERS: { readonly [Name in KindName]: (dice: Dice, field: Field<Name>) => unknown } = {
  name: makeText,
  text: makeText,
  account: () => undefined,
  expiry: makeMoment,
  patterns: (dice) => some(dice, MODELS),
  tool_patterns: makeTools,
  addresses: (dice) => some(dice, ADDRESSES),
  usd: makeUsd,
  count_or_default: (dice) => dice.pick([null, 0, 7, 1_000_000]),
  usd_or_default: (dice) => dice.pick([null, makeUsd(dice)]),
  time_zone: (dice) => dice.pick(ZONES),
  budgets: (dice, { hasDefault }) => (hasDefault && dice.chance(0.2) ? [] : makeBudgets(dice, true)),
  model_limits: (dice) =>
    dice.pick([
      [],
      [{ models: ["*opus*", "OpenAI#*"], requests_per_minute: 5 }],
      [{ models: ["*"], tokens_per_minute: 0 }],
    ]),
  member_defaults: (dice) => ({
    ...(dice.chance(0.5) ? { requests_per_minute: 5 } : {}),
    ...(dice.chance(0.5) ? { budgets: makeBudgets(dice, false) } : {}),
    ...(dice.chance(0.5) ? { allowed_models: some(dice, MODELS) } : {}),
    ...(dice.chance(0.5) ? { allowed_tools: makeTools(dice) } : {}),
    ...(dice.chance(0.5) ? { keys: 3 } : {}),
  }),
  weight: (dice) => dice.int(2, 9),
  limit: (dice, { min, max }) => dice.pick([min, max, 60]),
  role: (dice) => dice.pick(ROLES),
  accounts: () => undefined,
  cache: (dice) => dice.pick([{ ttl: 60 }, { ttl: "1h" }, { ttl: 0, namespace: "shared" }]),
  tags: (dice) => dice.pick([{ team: "search" }, { team: "ads", env: "prod" }]),
  hooks: (dice) => some(dice, ["masks", "refusals"]),
  flag: (_, { initial }) => !initial,
};

function makeValue<Name extends KindName>(dice: Dice, field: Field<Name>): unknown {
  return MAKERS[field.kind](dice, field);
}

/** Fields that must be given are, and others by chance. */
export function makeFields(dice: Dice, fields: Fields, share: number): Made {
  const made: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.initial !== undefined && !dice.chance(share)) continue;
    const value = makeValue<KindName>(dice, field);
    if (value !== undefined) made[name] = value;
  }
  return made;
}

function makeAliasTarget(dice: Dice): unknown {
  const kind = dice.int(0, 3);
  if (kind === 0) return dice.pick(TARGETS);
  if (kind === 1) return "Router#fair";
  if (kind === 2) return some(dice, TARGETS).map((model) => ({ model, weight: dice.int(1, 5) }));
  return { selector: "fair", quality: 0.9, ...(dice.chance(0.5) ? { max_cost_usd: 0.5, max_ms: 900 } : {}) };
}

/** Accounts are named, by the file's own names, wherever one is meant. */
export function makeState(dice: Dice): MadeState {
  const share = dice.pick([0.1, 0.4, 0.9]);
  const count = () => dice.int(0, 4);
  const list = <One>(length: number, make: (at: number) => One) =>
    Array.from({ length }, (_, at) => make(at));
  const accounts = list(count(), (at) => {
    const made = makeFields(dice, ACCOUNT_FIELDS, share);
    return { ...made, name: `${String(made.name)} ${at}` };
  });
  const names = accounts.map(({ name }) => name);
  const keys = list(count() * 2, (at) => {
    const made = makeFields(dice, KEY_FIELDS, share);
    const account = names.length > 0 && dice.chance(0.7) ? { account_id: dice.pick(names) } : {};
    return { ...made, name: `${String(made.name)} ${at}`, ...account };
  });
  const tokens = list(count(), (at) => {
    const { expires_at = makeMoment(dice), ...made } = makeFields(dice, TOKEN_FIELDS, share);
    const own = names.length > 0 && dice.chance(0.5) ? { accounts: some(dice, names) } : {};
    return { ...made, name: `${String(made.name)} ${at}`, expires_at, ...own };
  });
  const aliases = list(count(), (at) => ({ name: `alias-${at}-*é`, target: makeAliasTarget(dice) }));
  return { accounts, keys, aliases, tokens };
}

/** Returns a state with some entries left out, some changed and some added. Tokens stay as they were made. */
export function changeState(dice: Dice, { accounts, keys, aliases, tokens }: MadeState): MadeState {
  const left = accounts.filter(() => dice.chance(0.7));
  const names = new Set(left.map(({ name }) => name));
  const next = makeState(dice);
  const has = (name: unknown) => name === undefined || names.has(name);
  const change = (list: readonly Made[], fields: Fields) =>
    list.map((made) => {
      if (dice.chance(0.5)) return made;
      const { name: _name, paused: _paused, budgets: _budgets, ...others } = makeFields(dice, fields, 0.4);
      return { ...made, ...others };
    });
  const kept = keys.filter(({ account_id }) => has(account_id) && dice.chance(0.7));
  const added = next.keys.map(({ account_id: _account, ...made }, at) => ({ ...made, name: `new ${at}` }));
  const keptTokens = tokens.filter((made) => {
    const own = Array.isArray(made.accounts) ? made.accounts : [];
    return own.every(has) && dice.chance(0.7);
  });
  return {
    accounts: [
      ...change(left, ACCOUNT_FIELDS),
      ...next.accounts.map((made, at) => ({ ...made, name: `more ${at}` })),
    ],
    keys: [...change(kept, KEY_FIELDS), ...added],
    aliases: [...aliases.slice(1), ...next.aliases.map((made, at) => ({ ...made, name: `b${at}` }))],
    tokens: [
      ...keptTokens,
      ...next.tokens.map(({ accounts: _own, ...made }, at) => ({ ...made, name: `t${at}` })),
    ],
  };
}
