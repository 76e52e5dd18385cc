// The accounts and keys of a made-up gateway, with every kind of limit.
import type { Account, GatewayKey } from "../../../src/core/keys/key.ts";
import { makeBudget } from "../../../src/core/limits/budget.ts";
import { makeAccount, makeKey } from "../../harness/samples.ts";
import type { Dice } from "../../sim/dice.ts";

export const CARDS = ["OpenAI#gpt", "Anthropic#claude", "Sim#echo"];
const LIMITS = { requestsPerMinute: 20, tokensPerMinute: 4000, parallel: 6 };

export function makeAccounts(dice: Dice): readonly Account[] {
  const budget = (nanoUsd: number) =>
    makeBudget({ nanoUsd, per: dice.pick(["day", "week", "month", "total"]), warn: [0.5, 0.9] });
  return [
    makeAccount("plain"),
    makeAccount("paying", {
      timeZone: "America/New_York",
      requestsPerDay: dice.pick(["default", 5, 0]),
      balanceLowNanoUsd: 5000,
    }),
    makeAccount("limited", {
      ...LIMITS,
      budgets: [budget(90_000)],
      freeBudgetNanoUsd: 20_000,
      tags: { team: "c" },
    }),
  ];
}

export function makeKeys(dice: Dice): readonly GatewayKey[] {
  const budgets = [makeBudget({ nanoUsd: 9000, per: "day", models: [CARDS[0] ?? ""], warn: [0.8] })];
  const fields: readonly Partial<GatewayKey>[] = [
    {},
    { requestsPerDay: null },
    { requestsPerDay: 0 },
    { requestsPerDay: 3, tags: { team: "b" } },
    { memberId: "member" },
    { memberId: "member", requestsPerDay: null, spendLimitNanoUsd: 30_000 },
    { requestsPerMinute: 8, parallel: 3 },
    { requestsPerDay: null, tokensPerMinute: 900, budgets },
  ];
  return fields.map((one, at) =>
    makeKey(`key_${at}`, { accountId: dice.pick(["plain", "paying", "limited"]), ...one }),
  );
}
