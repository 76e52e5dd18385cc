// Made databases of LiteLLM's, moved in: no key may do, use or spend more than a model of LiteLLM's own rules says.
import { expect, test } from "bun:test";
import { type GatewayKey, mayUse } from "../../../src/core/keys/key.ts";
import type { Budget } from "../../../src/core/limits/budget.ts";
import { nameBudget } from "../../../src/core/limits/budget.ts";
import { readConfig } from "../../../src/moving/litellm/config.ts";
import { readOwners } from "../../../src/moving/litellm/owners.ts";
import { NO_TABLES } from "../../../src/moving/litellm/tables.ts";
import type { PlannedAccount, PlannedKey, Spending } from "../../../src/moving/plan.ts";
import { Report } from "../../../src/moving/report.ts";
import { IS_LONG } from "../../harness/long.ts";
import { Dice } from "../../sim/dice.ts";
import { type Cells, judgeKey, type MadeTables, STRICT } from "./litellm-rules.ts";
import { Maker, NAMES } from "./made-tables.ts";

const DATABASES = IS_LONG ? 1000 : 60;
const NOW_MS = Date.parse("2026-11-26T12:00:00Z");
/** Amounts are whole nano-dollars here. */
const ROUNDING_USD = 1e-8;

const params = (model: string) => ({ litellm_params: { model, api_key: "os.environ/K" } });
const CONFIG = {
  model_list: [
    { model_name: "chat", ...params("openai/gpt-5.4") },
    { model_name: "mini", ...params("openai/gpt-5.4-mini") },
    { model_name: "claude", ...params("anthropic/claude-sonnet-5") },
    { model_name: "local", litellm_params: { model: "openai/llama", api_base: "http://127.0.0.1:1/v1" } },
  ],
};

function moveIn(made: MadeTables) {
  const report = new Report();
  const tables = {
    ...NO_TABLES,
    ...made,
    permissions: [],
    accessGroups: [],
    teamAliases: [],
    tagUses: [],
    customerUses: [],
  };
  const { names, budget } = readConfig({ value: CONFIG, findLine: () => 1 }, report, tables);
  const parts = { names, budget, report, nowMs: NOW_MS, foreignUntilMs: NOW_MS + 1 };
  return { names, report, owners: readOwners(tables, parts) };
}

/** Returns the USD that are left of hard budgets for all models. */
function countLeft(budgets: GatewayKey["budgets"], spent: Spending): number {
  const all: readonly Budget[] = budgets === "default" ? [] : budgets;
  const hard = all.filter(({ isHard, models }) => isHard && models === null);
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...hard.map((one) => (one.nanoUsd - (spent.get(nameBudget(one)) ?? 0)) / 1e9),
  );
}

interface Moved {
  readonly row: Cells;
  readonly key: PlannedKey;
  readonly account: PlannedAccount | undefined;
}

/** Returns what the key may do that it might not. */
function findWider(
  { row, key: planned, account }: Moved,
  made: MadeTables,
  find: (name: string) => readonly string[],
) {
  const { key, spent } = planned;
  const isStopped = key.isPaused || account?.account.isPaused === true;
  if (isStopped || (key.expiresAtMs !== null && key.expiresAtMs <= NOW_MS)) return [];
  const there = judgeKey(row, made, NAMES, NOW_MS);
  const wider = STRICT.filter((column) => row[column] !== null && row[column] !== undefined).map(
    (column) => `${column} is lost`,
  );
  for (const name of NAMES) {
    const isOpen = find(name).some((id) => mayUse(key, id));
    if (isOpen && there.names?.has(name) !== true) wider.push(`it may call ${name}`);
  }
  if (there.names === null || there.names.size === 0) return wider;
  const rates = [key.requestsPerMinute, account?.account.requestsPerMinute ?? null];
  const rate = Math.min(...rates.map((one) => (typeof one === "number" ? one : Number.POSITIVE_INFINITY)));
  if (rate > there.rate) wider.push(`${rate} requests a minute instead of ${there.rate}`);
  const ofAccount = account ? countLeft(account.account.budgets, account.spent) : Number.POSITIVE_INFINITY;
  const left = Math.min(countLeft(key.budgets, spent), ofAccount);
  if (left > Math.max(0, there.leftUsd) + ROUNDING_USD)
    wider.push(`${left} USD are left instead of ${there.leftUsd}`);
  return wider;
}

/** Keys that share a budget there may not have more of it together. */
function findShared(moved: readonly Moved[], made: MadeTables): readonly string[] {
  const sums = new Map<string, { have: number; may: number }>();
  for (const { row, key, account } of moved) {
    if (key.key.isPaused || account?.account.isPaused === true) continue;
    for (const [owner, may] of judgeKey(row, made, NAMES, NOW_MS).shared) {
      // A team's budget is its account's.
      if (owner.startsWith("team ") || may === Number.POSITIVE_INFINITY) continue;
      const sum = sums.getOrInsertComputed(owner, () => ({ have: 0, may }));
      sum.have += Math.max(0, countLeft(key.key.budgets, key.spent));
    }
  }
  return [...sums]
    .filter(([, { have, may }]) => have > Math.max(0, may) + ROUNDING_USD)
    .map(([owner, { have, may }]) => `the keys of ${owner} have ${have} USD instead of ${may}`);
}

test("no key of a made database is wider than LiteLLM's own rules say", () => {
  const wider: string[] = [];
  let open = 0;
  for (let seed = 1; seed <= DATABASES; seed++) {
    const made = new Maker(new Dice(seed), NOW_MS).make();
    const { names, report, owners } = moveIn(made);
    const accounts = new Map(owners.accounts.map((one) => [one.account.id, one]));
    const moved = owners.keys.flatMap((key) => {
      const row = made.keys.find(({ token }) => token === key.foreign[0]?.digest);
      return row === undefined ? [] : [{ row, key, account: accounts.get(key.key.accountId) }];
    });
    for (const one of moved) {
      const found = findWider(one, made, (name) => names.find(name));
      wider.push(...found.map((words) => `seed ${seed}, ${JSON.stringify(one.row)}: ${words}`));
      if (!one.key.key.isPaused) open++;
      // Each reason stops the key.
      if (one.key.pausedFor.length > 0) expect(one.key.key.isPaused).toBe(true);
    }
    wider.push(...findShared(moved, made).map((words) => `seed ${seed}: ${words}`));
    expect(report.rows.every(({ item, words }) => item !== "" && words !== "")).toBe(true);
  }
  expect(wider).toEqual([]);
  // The rest would prove nothing.
  expect(open).toBeGreaterThan(DATABASES);
});
