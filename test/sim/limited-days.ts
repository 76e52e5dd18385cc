// The limits and budgets of a simulated day's keys and accounts.
import type { Budget, Period } from "../../src/core/limits/budget.ts";
import type { Dice } from "./dice.ts";
import type { Scenario } from "./scenario.ts";

const NANO = 1_000_000_000;
/** Zones whose clocks change. */
const ZONES = ["America/New_York", "Europe/London", "Australia/Lord_Howe"];
const PERIODS: readonly Period[] = ["day", "week", "month", "total"];

/** Adds limits to most days. */
export function addLimits(scenario: Scenario, dice: Dice): Scenario {
  if (dice.chance(0.3)) return scenario;
  // A clock that was set back leaves open in which part reserved tokens come back.
  const hasTokens = scenario.jumps.every(({ byMs }) => byMs > 0);
  return {
    ...scenario,
    accounts: scenario.accounts.map((account) => ({
      ...account,
      ...limitsFor(dice, 12, hasTokens),
      timeZone: dice.chance(0.5) ? dice.pick(ZONES) : null,
      budgets: budgetsFor(dice, 0.4),
    })),
    keys: scenario.keys.map((key) => ({
      ...key,
      ...limitsFor(dice, 5, hasTokens),
      budgets: budgetsFor(dice, 0.5),
    })),
  };
}

function limitsFor(dice: Dice, most: number, hasTokens: boolean) {
  const some = (chance: number, least: number, greatest: number) =>
    dice.chance(chance) ? dice.int(least, greatest) : null;
  return {
    requestsPerMinute: some(0.3, 0, most),
    tokensPerMinute: hasTokens ? some(0.3, 0, most * 2500) : null,
    parallel: some(0.4, 1, Math.ceil(most / 3)),
  };
}

/** Names are unique: a budget for each of several periods. */
function budgetsFor(dice: Dice, chance: number): readonly Budget[] {
  return PERIODS.flatMap((per): readonly Budget[] => {
    if (!dice.chance(chance / 2)) return [];
    const models = dice.chance(0.4) ? dice.pick([["Alpha#*"], ["Beta#*", "Gamma#*"]]) : null;
    return [
      {
        per,
        models,
        extra: null,
        nanoUsd: Math.ceil((NANO / 2000) * 10 ** (dice.next() * 3)) - (dice.chance(0.1) ? NANO / 2000 : 0),
        warn: dice.chance(0.5) ? [0.5, 1] : [],
        isHard: dice.chance(0.8),
      },
    ];
  }).map((budget) => ({ ...budget, nanoUsd: Math.max(0, budget.nanoUsd) }));
}
