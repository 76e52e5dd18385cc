// Judges a log of admissions: no minute passes its limit, no budget is overrun by more than what was in flight.

import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Budget } from "../../../src/core/limits/budget.ts";
import type { Store } from "../../../src/core/store.ts";
import { findErrors } from "../payments.ts";
import { COST_MAX, type LetIn, RESERVED } from "./load.ts";

const MINUTE = 60_000;
const REQUESTS = 150;
const TOKENS = 9000;
const PARALLEL = 8;
const BUDGET = 100_000;

const budget: Budget = {
  nanoUsd: BUDGET,
  per: "month",
  models: null,
  warn: [0.5, 1],
  isHard: true,
  extra: null,
};

/** One kind of limit each, and one with all of them. */
export const LIMITS: Readonly<Record<string, Partial<GatewayKey>>> = {
  key_requests: { requestsPerMinute: REQUESTS },
  key_parallel: { parallel: PARALLEL },
  key_tokens: { tokensPerMinute: TOKENS },
  key_budget: { budgets: [budget] },
  key_all: {
    requestsPerMinute: REQUESTS,
    parallel: PARALLEL,
    tokensPerMinute: TOKENS,
    budgets: [budget],
  },
};

/** A node's part of the load. */
export interface NodeLoad {
  readonly letIn: readonly LetIn[];
  readonly refused: Readonly<Record<string, number>>;
  /** The most requests at the same time, by key. */
  readonly most: Readonly<Record<string, number>>;
}

/** Returns every violation in words. */
export async function judgeLoad(store: Store, nodes: readonly NodeLoad[]): Promise<readonly string[]> {
  const wrong = [...findErrors(await store.audit())];
  const letIn = nodes.flatMap((node) => node.letIn);
  for (const [id, { requestsPerMinute, parallel, budgets }] of Object.entries(LIMITS)) {
    const own = letIn.filter(({ keyId }) => keyId === id);
    const busiest = findBusiest(own);
    const most = nodes.reduce((sum, node) => sum + (node.most[id] ?? 0), 0);
    if (typeof requestsPerMinute === "number" && busiest > requestsPerMinute)
      wrong.push(`${id}: ${busiest} requests in a minute`);
    const onOne = Math.max(...nodes.map((node) => node.most[id] ?? 0));
    if (typeof parallel === "number" && onOne > parallel) wrong.push(`${id}: ${onOne} at the same time`);
    if (budgets === undefined) continue;
    const spent = sumCosts(own);
    const overrun = Math.min(most, BUDGET / RESERVED.nanoUsd) * (COST_MAX - RESERVED.nanoUsd);
    if (spent > BUDGET + overrun) wrong.push(`${id}: ${spent} spent of ${BUDGET}`);
  }
  return wrong;
}

/** Returns the shares of two limits that were used: all but what a reservation needs. */
export function measureUse(nodes: readonly NodeLoad[]) {
  const own = (id: string) => nodes.flatMap((node) => node.letIn).filter(({ keyId }) => keyId === id);
  return {
    requests: findBusiest(own("key_requests")) / REQUESTS,
    budget: (sumCosts(own("key_budget")) + RESERVED.nanoUsd) / BUDGET,
  };
}

function sumCosts(letIn: readonly LetIn[]): number {
  return letIn.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0);
}

/**
 * Returns the most requests that were surely let in within a minute: the store decided each between the two times that
 * its client saw.
 */
function findBusiest(letIn: readonly LetIn[]): number {
  let most = 0;
  for (const { fromMs } of letIn) {
    const within = letIn.filter((one) => one.fromMs >= fromMs && one.untilMs < fromMs + MINUTE);
    most = Math.max(most, within.length);
  }
  return most;
}
