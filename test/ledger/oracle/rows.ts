// The same rows twice: as maps that decisions leave alone, and as pages that they change.
import type { Decision, Rows } from "../../../src/core/decision.ts";
import type { Demand } from "../../../src/core/demand.ts";
import type { Account } from "../../../src/core/keys/key.ts";
import type { ModelSum } from "../../../src/core/limits/opening.ts";
import { makeOpeningId } from "../../../src/core/limits/opening.ts";
import type { Amounts } from "../../../src/core/money/units.ts";
import { Cell, type OwnerPage, Pages } from "../../../src/core/pages.ts";
import { type Hold, makeTagDayId } from "../../../src/core/rows.ts";
import type { Decision as PlainDecision, Rows as PlainRows } from "./decision.ts";
import type { Demands } from "./demands.ts";
import { makeMeterId, makeOwnerId } from "./ids.ts";

type MapOf<Name extends keyof PlainRows> =
  Extract<NonNullable<PlainRows[Name]>, { get(id: string): unknown }> extends {
    get(id: string): infer Row;
  }
    ? Map<string, NonNullable<Row>>
    : never;

export class PlainWorld {
  readonly accounts: MapOf<"accounts"> = new Map();
  readonly keys: MapOf<"keys"> = new Map();
  readonly spends: MapOf<"spends"> = new Map();
  readonly meters: MapOf<"meters"> = new Map();
  readonly owners: MapOf<"owners"> = new Map();
  readonly members: MapOf<"members"> = new Map();
  readonly holds: MapOf<"holds"> = new Map();
  readonly requests: MapOf<"requests"> = new Map();
  readonly replies: MapOf<"replies"> = new Map();
  readonly movements: MapOf<"movements"> = new Map();
  readonly tagsOfDays = new Map<string, Set<string>>();

  constructor({ accounts, keys }: Demands) {
    for (const account of accounts) this.accounts.set(account.id, account);
    for (const key of keys) this.keys.set(key.id, key);
    const rules = [
      {
        accountIds: null,
        allowedModels: null,
        allowedTools: null,
        budgets: null,
        requestsPerMinute: 15,
        tokensPerMinute: null,
        parallel: 5,
      },
    ];
    for (const { id } of accounts) this.members.set(makeOwnerId(id, "member"), { rules, raises: [] });
  }

  rowsFor(demands: readonly Demand[]): PlainRows {
    return { ...this, nowMs: null, sums: readSums(demands) };
  }

  /** Writes a decision. */
  write(decision: PlainDecision): void {
    for (const row of decision.accounts) this.accounts.set(row.id, row);
    for (const row of decision.spends) this.spends.set(makeOwnerId(row.accountId, row.keyId), row);
    for (const row of decision.meters) this.meters.set(makeMeterId(row.accountId, row.owner, row.day), row);
    for (const row of decision.owners) this.owners.set(makeOwnerId(row.accountId, row.owner), row);
    for (const { id } of decision.holdsGone) this.holds.delete(id);
    for (const row of decision.holds) this.holds.set(row.id, row);
    for (const row of decision.requests) this.requests.set(row.id, row);
    for (const row of decision.requestsAmended) this.requests.set(row.id, row);
    for (const { id } of decision.repliesGone) this.replies.delete(id);
    for (const row of decision.replies) this.replies.set(row.id, row);
    for (const row of decision.movements) this.movements.set(row.id, row);
    for (const { accountId, dayMs, tag } of decision.tagsOfDays)
      this.tagsOfDays.getOrInsertComputed(makeTagDayId(accountId, dayMs), () => new Set()).add(tag);
  }
}

/** Budgets that open find that something was used before. */
function readSums(demands: readonly Demand[]): ReadonlyMap<string, readonly ModelSum[]> {
  const openings = demands.flatMap(({ reads }) =>
    (reads.openings ?? []).map((one) => makeOpeningId(reads.accountId, one)),
  );
  return new Map(openings.map((id) => [id, [{ model: "OpenAI#gpt", costNanoUsd: 700 }]]));
}

/** Plain replies are named by their ids alone, which differ from account to account. */
function takeOwnId(rowId: string): string {
  return rowId.slice(rowId.indexOf(" ") + 1);
}

/** Pages that last: what isn't in them yet is read from the plain rows, once. */
export class PagedWorld {
  readonly #plain: PlainWorld;
  readonly #accounts = new Map<string, Cell<Account>>();
  readonly #holds = new Map<string, Cell<Hold>>();
  readonly #find = new Pages(new Map()).find;
  #sums: ReadonlyMap<string, readonly ModelSum[]> = new Map();
  readonly rows: Rows;

  constructor(plain: PlainWorld) {
    this.#plain = plain;
    const { keys, requests, replies, movements, tagsOfDays } = plain;
    this.rows = {
      nowMs: null,
      accounts: this.#accounts,
      keys,
      page: this.#find,
      holds: this.#holds,
      requests,
      replies: { get: (id) => replies.get(takeOwnId(id)) },
      movements,
      tagsOfDays,
      sums: { get: (id) => this.#sums.get(id) },
    };
  }

  rowsFor(demands: readonly Demand[]): Rows {
    for (const { reads } of demands) {
      const { accountId, keyId, memberId, owners, days, requestId } = reads;
      const read = this.#plain;
      this.#accounts.getOrInsertComputed(accountId, (id) =>
        new Cell<Account>().fill(read.accounts.get(id) ?? null),
      );
      if (keyId !== null) this.#readSpend(this.#find(accountId, keyId));
      if (memberId)
        this.#find(accountId, memberId).terms.fill(
          read.members.get(makeOwnerId(accountId, memberId)) ?? null,
        );
      for (const owner of owners) this.#readOwner(this.#find(accountId, owner), days);
      if (requestId !== null && !reads.isNew)
        this.#holds.getOrInsertComputed(requestId, (id) => new Cell<Hold>().fill(read.holds.get(id) ?? null));
    }
    this.#sums = readSums(demands);
    return this.rows;
  }

  #readSpend({ accountId, owner, spend }: OwnerPage): void {
    if (!spend.isRead) spend.fill(this.#plain.spends.get(makeOwnerId(accountId, owner)) ?? null);
  }

  #readOwner(page: OwnerPage, days: readonly string[]): void {
    const { accountId, owner, state } = page;
    if (!state.isRead) state.fill(this.#plain.owners.get(makeOwnerId(accountId, owner)) ?? null);
    for (const day of days) {
      const meter = page.meter(day);
      if (!meter.isRead) meter.fill(this.#plain.meters.get(makeMeterId(accountId, owner, day)) ?? null);
    }
  }

  /** Returns what the pages have, under the names of the plain rows, where it differs from these. */
  listDifferences(): readonly string[] {
    const { accounts, spends, meters, owners, holds } = this.#plain;
    const differences: string[] = [];
    const compare = (name: string, plain: unknown, cell: Cell<object>) => {
      if (cell.isRead && !Bun.deepEquals(plain ?? null, cell.row)) differences.push(name);
    };
    for (const [id, cell] of this.#accounts) compare(id, accounts.get(id), cell);
    for (const [id, cell] of this.#holds) compare(id, holds.get(id), cell);
    for (const [id, row] of spends) compare(`spend ${id}`, row, this.#find(row.accountId, row.keyId).spend);
    for (const [id, row] of owners) compare(`owner ${id}`, row, this.#find(row.accountId, row.owner).state);
    for (const [id, row] of meters)
      compare(`meter ${id}`, row, this.#find(row.accountId, row.owner).meter(row.day));
    return differences;
  }
}

/** Sums are added to in place, rows are replaced. */
function copySum<Sum extends { readonly amounts: Amounts }>(sum: Sum): Sum {
  return { ...sum, amounts: { ...sum.amounts } };
}

/** Returns a decision as it is now, in an order that doesn't depend on how it was made. */
export function copyDecision(
  decision: Decision | PlainDecision,
): Readonly<Record<string, readonly unknown[]>> {
  const { answers, entries, events, movements, tagsOfDays, usage, tagUsage, firstTokens, calls } = decision;
  const byId = <Row extends { readonly id: string }>(rows: readonly Row[]) =>
    rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const gone = (rows: Decision["holdsGone"]) => byId(rows).map(({ accountId, id }) => ({ accountId, id }));
  return {
    answers: answers.map((answer) =>
      answer.kind === "refused"
        ? {
            ...answer,
            fault: JSON.stringify(answer.fault),
            message: answer.fault.message,
            code: answer.fault.code,
          }
        : answer,
    ),
    accounts: byId(decision.accounts),
    states: byId(decision.states),
    spends: decision.spends,
    meters: decision.meters,
    owners: decision.owners,
    holds: byId(decision.holds),
    holdsGone: gone(decision.holdsGone),
    entries,
    requests: byId(decision.requests),
    requestsAmended: byId(decision.requestsAmended),
    replies: byId(decision.replies),
    repliesGone: gone(decision.repliesGone),
    movements,
    tagsOfDays,
    usage: usage.map(copySum),
    tagUsage: tagUsage.map(copySum),
    firstTokens: firstTokens.map((sum) => ({ ...sum })),
    calls: calls.map(copySum),
    events,
  };
}
