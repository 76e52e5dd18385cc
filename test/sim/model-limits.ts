// The auditor's own count of limits and budgets: a list of what was let in, instead of counters, and windows by name.
import type { Admission, Answer, Lacking, Offer, Settlement } from "../../src/core/demand.ts";
import type { Account, GatewayKey } from "../../src/core/keys/key.ts";
import type { UnsettledRecord } from "../../src/core/log/record.ts";
import { computeRange, type ModelFund, worstCosts } from "./model-money.ts";
import { covers, type ModelBudget, type ModelOwner, run, sumMinute } from "./model-owner.ts";
import { nameWindow, nextWindow, ownDay, type Period } from "./own-days.ts";
import type { Scenario } from "./scenario.ts";

/** A limit's name with its amount. */
interface Limit {
  readonly owner: string;
  readonly name: string;
  readonly per: Period;
  readonly nano: bigint;
  readonly models: readonly string[] | null;
  readonly warn: readonly number[];
  readonly isHard: boolean;
}

interface Limited {
  readonly id: string;
  readonly requests: number | null;
  readonly tokens: number | null;
  readonly parallel: number | null;
  readonly budgets: readonly Limit[];
}

/** The share of an owner's limits that a request took. */
export interface ModelUse {
  readonly owner: string;
  readonly isCounted: boolean;
  readonly tokens: number;
  readonly budgets: ReadonlyMap<string, { readonly window: string; readonly nano: bigint }>;
}

type Row = {
  readonly keyId: string;
  readonly accountId: string;
  readonly atMs: number;
  readonly cost: bigint;
  readonly model: string;
};

export class ModelLimits {
  readonly owners = new Map<string, ModelOwner>();
  /** The written costs, for budgets that open in the middle of a window. */
  readonly rows = new Map<string, Row>();
  readonly uses = new Map<string, readonly ModelUse[]>();
  readonly warned: string[] = [];
  readonly #scenario: Scenario;
  readonly #accounts: ReadonlyMap<string, Account>;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#accounts = new Map(scenario.accounts.map((account) => [account.id, account]));
  }

  #owner(id: string): ModelOwner {
    const known = this.owners.get(id);
    if (known) return known;
    const fresh = { part: 0, counted: [], parallel: 0, budgets: new Map() };
    this.owners.set(id, fresh);
    return fresh;
  }

  #listed(key: GatewayKey): readonly Limited[] {
    const account = this.#accounts.get(key.accountId);
    if (!account) throw new Error("no account");
    const number = (limit: number | null | "default") => (limit === "default" ? null : limit);
    const of = (owner: GatewayKey | Account): Limited => {
      const budgets = (owner.budgets === "default" ? [] : owner.budgets).map(
        ({ nanoUsd, per, models, warn, isHard }): Limit => ({
          owner: owner.id,
          per,
          models,
          warn,
          isHard,
          nano: BigInt(nanoUsd),
          name: [per, ...(models ?? [])].join(" "),
        }),
      );
      const minute = {
        requests: number(owner.requestsPerMinute),
        tokens: number(owner.tokensPerMinute),
        parallel: number(owner.parallel),
      };
      return { id: owner.id, ...minute, budgets };
    };
    const own = of(key);
    if (key.spendLimitNanoUsd === null) return [own, of(account)];
    const rest = { per: "total", models: null, warn: [], isHard: true } as const;
    const limit = { owner: key.id, name: "spend_limit", nano: BigInt(key.spendLimitNanoUsd), ...rest };
    return [{ ...own, budgets: [...own.budgets, limit] }, of(account)];
  }

  #rules(key: GatewayKey) {
    const { quota } = this.#scenario;
    const timeZone = this.#accounts.get(key.accountId)?.timeZone ?? quota.timeZone;
    return { timeZone, dayStartsMinutes: quota.dayStartsMinutes };
  }

  #window(per: Period, atMs: number, key: GatewayKey): string {
    return nameWindow(per, ownDay(atMs, this.#rules(key)));
  }

  /** Returns the budget as of now. Null if it has to be opened. */
  #running(limit: Limit, key: GatewayKey, nowMs: number): ModelBudget | null {
    const stored = this.owners.get(limit.owner)?.budgets.get(limit.name);
    if (!stored) return null;
    const now = this.#window(limit.per, nowMs, key);
    if (stored.window === now || stored.window === nextWindow(limit.per, now)) return stored;
    return stored.window > now ? null : { window: now, spent: 0n, held: 0n, warned: [] };
  }

  #opened(limit: Limit, key: GatewayKey, nowMs: number, spent: bigint): ModelBudget {
    const window = this.#window(limit.per, nowMs, key);
    if (limit.name === "spend_limit") return { window, spent, held: 0n, warned: [] };
    const isAccounts = limit.owner === key.accountId;
    let sum = 0n;
    for (const row of this.rows.values()) {
      const isOwn = isAccounts ? row.accountId === key.accountId : row.keyId === key.id;
      const isWithin = this.#window(limit.per, row.atMs, key) >= window;
      if (isOwn && isWithin && covers(limit, row.model)) sum += row.cost;
    }
    return { window, spent: sum, held: 0n, warned: [] };
  }

  /** The refusal, what the decision lacks, or the budgets that the request must fit into. */
  check(
    demand: Admission,
    key: GatewayKey,
    answer: Answer,
    charged: bigint,
  ): string | { readonly funds: readonly ModelFund[]; readonly offers: readonly Offer[] } {
    const { nowMs } = demand;
    const limited = this.#listed(key);
    const limits = limited.flatMap(({ budgets }) => budgets);
    const isUnopened = (limit: Limit) =>
      this.#running(limit, key, nowMs) === null && limit.name !== "spend_limit";
    if (limits.some(isUnopened) && !demand.reads.openings?.length) return "lacking";
    for (const limit of limits)
      if (this.#running(limit, key, nowMs) === null)
        this.#owner(limit.owner).budgets.set(limit.name, this.#opened(limit, key, nowMs, charged));
    const hard = limits.filter(({ isHard }) => isHard);
    if (hard.length > 0 && !demand.isReserving) return "lacking";
    if (demand.load === null && limited.some(({ tokens }) => tokens !== null)) return "lacking";
    if (answer.kind === "lacking" && !(answer satisfies Lacking).offers) return "nothing lacking";
    const refusal = this.#refuse(demand, limited);
    if (refusal !== null) return `refused: ${refusal}`;
    const offers = demand.offers ?? [];
    const fundsWith = (isHeld: boolean) => hard.map((limit) => this.#fund(limit, key, nowMs, isHeld));
    const funds = fundsWith(true);
    if (hard.length === 0 || offers.length === 0) return { funds, offers };
    const fits = (one: Offer, from: readonly ModelFund[]) => worstCosts(one, from, this.#scenario) !== null;
    const able = offers.filter((one) => fits(one, funds));
    if (able.length > 0) return { funds, offers: able };
    if (offers.some((one) => fits(one, fundsWith(false)))) return "refused: budget_reserved";
    const isBudgeted = offers.some((one) => one.isPriced);
    return `refused: ${isBudgeted ? "budget_exceeded" : "model_not_priced"}`;
  }

  #fund(limit: Limit, key: GatewayKey, nowMs: number, isHeld: boolean): ModelFund {
    const { spent, held } = this.#running(limit, key, nowMs) ?? { spent: 0n, held: 0n };
    const range = computeRange(limit.nano, spent, isHeld ? held : 0n);
    return {
      ...range,
      id: `${limit.owner} ${limit.name}`,
      covers: (card) => covers(limit, card),
      isBudget: true,
    };
  }

  #refuse({ nowMs, load }: Admission, limited: readonly Limited[]): string | null {
    const now = limited.map((one) => ({ ...one, ...sumMinute(this.owners.get(one.id), nowMs) }));
    const tokens = (load?.prompt ?? 0) + (load?.output ?? 0);
    if (now.some((one) => one.parallel !== null && one.running >= one.parallel))
      return "too_many_parallel_requests";
    if (now.some((one) => one.requests !== null && one.sum.requests + 1 > one.requests))
      return "requests_per_minute_exceeded";
    const isFull = (limit: number | null, used: number) =>
      limit !== null && (limit === 0 || used + Math.min(tokens, limit) > limit);
    return now.some((one) => isFull(one.tokens, one.sum.tokens)) ? "tokens_per_minute_exceeded" : null;
  }

  take({ id, nowMs, load }: Admission, key: GatewayKey, held: ReadonlyMap<string, bigint>): void {
    const uses = this.#listed(key).flatMap((one): ModelUse[] => {
      const isCounted = one.requests !== null || one.tokens !== null || one.parallel !== null;
      if (!isCounted && one.budgets.length === 0) return [];
      const owner = this.#owner(one.id);
      const tokens =
        one.tokens === null ? 0 : Math.min(one.tokens, (load?.prompt ?? 0) + (load?.output ?? 0));
      if (isCounted) {
        const part = run(owner, nowMs);
        owner.counted.push({ id, part, requests: 1, tokens });
        owner.parallel++;
      }
      const budgets = new Map(
        one.budgets.map((limit) => {
          const running = this.#running(limit, key, nowMs) ?? this.#opened(limit, key, nowMs, 0n);
          const nano = held.get(`${one.id} ${limit.name}`) ?? 0n;
          owner.budgets.set(limit.name, { ...running, held: running.held + nano });
          return [limit.name, { window: running.window, nano }] as const;
        }),
      );
      return [{ owner: one.id, isCounted, tokens, budgets }];
    });
    this.uses.set(id, uses);
  }

  /** `cost` is what is due. `isLate` if its reservations were given back before. */
  settle(demand: Settlement, key: GatewayKey, record: UnsettledRecord, cost: bigint, isLate: boolean): void {
    const { id, amounts, usageSource } = record;
    const tokens = amounts.prompt - amounts.cached + amounts.completion;
    const isUncounted = tokens === 0 && usageSource !== "none";
    this.#end(id, demand.nowMs, {
      cost,
      model: record.modelUsed ?? record.modelTried ?? "",
      isLate,
      tokens: isUncounted ? null : tokens,
    });
    this.rows.set(id, {
      keyId: key.id,
      accountId: key.accountId,
      atMs: record.atMs,
      cost: BigInt(record.costNanoUsd),
      model: record.modelUsed ?? record.modelTried ?? "",
    });
    this.#warn(key, cost);
  }

  undo(id: string, nowMs: number): void {
    this.#end(id, nowMs, { cost: 0n, model: "", isLate: false, tokens: 0 });
    for (const { owner, isCounted } of this.uses.get(id) ?? []) {
      const state = this.#owner(owner);
      if (isCounted) state.counted = state.counted.filter((one) => one.id !== id);
    }
    this.uses.delete(id);
  }

  #end(
    id: string,
    nowMs: number,
    taken: {
      readonly cost: bigint;
      readonly model: string;
      readonly isLate: boolean;
      readonly tokens: number | null;
    },
  ): void {
    for (const use of this.uses.get(id) ?? []) {
      const owner = this.#owner(use.owner);
      if (use.isCounted) {
        const part = run(owner, nowMs);
        if (!taken.isLate) owner.parallel--;
        const own = owner.counted.find((one) => one.id === id);
        const used = taken.tokens ?? use.tokens;
        if (taken.isLate) owner.counted.push({ id: `${id} late`, part, requests: 0, tokens: used });
        else if (used > use.tokens)
          owner.counted.push({ id: `${id} more`, part, requests: 0, tokens: used - use.tokens });
        else if (own) own.tokens = used;
      }
      for (const [name, { window, nano }] of use.budgets) {
        const budget = owner.budgets.get(name);
        if (!budget || budget.window !== window) continue;
        const isOwn = name === "spend_limit" || covers({ models: name.split(" ").slice(1) }, taken.model);
        owner.budgets.set(name, {
          ...budget,
          held: taken.isLate ? budget.held : budget.held - nano,
          spent: budget.spent + (isOwn ? taken.cost : 0n),
        });
      }
    }
  }

  #warn(key: GatewayKey, cost: bigint): void {
    if (cost === 0n) return;
    for (const { budgets } of this.#listed(key))
      for (const { owner, name, warn, nano } of budgets) {
        const budget = this.owners.get(owner)?.budgets.get(name);
        if (!budget) continue;
        for (const share of warn) {
          if (budget.warned.includes(share) || Number(budget.spent) < share * Number(nano)) continue;
          budget.warned.push(share);
          this.warned.push(`${owner} ${name} ${share}`);
        }
      }
  }
}
