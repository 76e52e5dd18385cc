// Statements on every store: a simulated year in three time zones, which adds up to the books to the nano-dollar, and so do its exports.
import { expect, test } from "bun:test";
import { EXPORTS, type ExportParts, readExport } from "../../../src/admin/log/exports.ts";
import { formatStatement, getStatement } from "../../../src/admin/money/statements.ts";
import { random } from "../../../src/app/world.ts";
import { asNumber } from "../../../src/core/json/json.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { NANO_PER_USD, toUsd } from "../../../src/core/money/money.ts";
import type { Store } from "../../../src/core/store.ts";
import { fundAccount } from "../../../src/ledger/money/fund.ts";
import {
  addKey,
  costing,
  decideByDemand,
  expectGrant,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeOutcome,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, readJournal } from "../../ledger/payments.ts";
import { Dice } from "../../sim/dice.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const statementsSuite = makeSuite({ "a year": years, "a closed month": closed });

const SEED = 36;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UTC_RULES = { timeZone: "UTC", dayStartsMinutes: 0 };
/** By account, the zones of the first and the second half of the year. */
const ZONES: Readonly<Record<string, readonly [string | null, string | null]>> = {
  utc: [null, null],
  kolkata: ["Asia/Kolkata", "Asia/Kolkata"],
  moving: ["America/New_York", "Pacific/Auckland"],
};
const MOVED_MS = Date.parse("2026-07-15T00:00:00Z");
const TAGS = [null, "team=a", "env=prod,team=a", "env=prod,team=b"];
const MONTHS = Array.from({ length: 12 }, (_, at) => `2026-${String(at + 1).padStart(2, "0")}`);

/** The books as a month's statement should have them, kept by the test itself. */
interface Kept {
  readonly topups: Map<string, number>;
  readonly others: Map<string, number>;
  /** By month and line: the cost and the charge. */
  readonly lines: Map<string, readonly [cost: number, charged: number]>;
}

function findMonth(account: string, atMs: number): string {
  const [first, second] = ZONES[account] ?? [null, null];
  const zone = (atMs < MOVED_MS ? first : second) ?? "UTC";
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, year: "numeric", month: "2-digit" }).format(atMs);
}

function add(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}

/** A year of one account: requests around the ends of months, most of them charged, and movements. */
class Year {
  readonly kept: Kept = { topups: new Map(), others: new Map(), lines: new Map() };
  readonly #store: Store;
  readonly #account: string;
  readonly #dice: Dice;
  #balance = 0;
  #count = 0;

  constructor(store: Store, account: string, dice: Dice) {
    this.#store = store;
    this.#account = account;
    this.#dice = dice;
  }

  async live(keys: readonly GatewayKey[]): Promise<void> {
    const times = MONTHS.flatMap((month) => {
      const endMs = Date.parse(`${month}-01T00:00:00Z`);
      return Array.from({ length: 5 }, () => endMs + this.#dice.int(-30 * HOUR_MS, 30 * HOUR_MS));
    });
    for (const atMs of [Date.parse("2025-12-30T00:00:00Z"), ...times.toSorted((a, b) => a - b)]) {
      if (atMs >= MOVED_MS) {
        await unrecorded(this.#store).changeAccount(this.#account, {
          timeZone: ZONES[this.#account]?.[1] ?? null,
        });
      }
      if (this.#balance < 5_000_000_000) await this.#move("topup", 9_000_000_001, atMs);
      else if (this.#dice.chance(0.2)) await this.#move("adjustment", this.#dice.int(-999, 999) || 1, atMs);
      else await this.#ask(this.#dice.pick(keys), atMs);
    }
  }

  async #move(movement: "topup" | "adjustment", nanoUsd: number, nowMs: number): Promise<void> {
    const order = { accountId: this.#account, id: `${this.#count++}`, note: null, entry: null, by: null };
    await fundAccount(this.#store, { ...order, movement, nanoUsd, nowMs, timeZone: "UTC" });
    this.#balance += nanoUsd;
    const month = findMonth(this.#account, nowMs);
    add(movement === "topup" ? this.kept.topups : this.kept.others, month, nanoUsd);
  }

  /** Settled up to two days later, often in the next month, and now and then half a year later. */
  async #ask(key: GatewayKey, nowMs: number): Promise<void> {
    const lateMs = this.#dice.chance(0.05) ? 20 * DAY_MS : this.#dice.int(0, 2 * DAY_MS);
    const clock = { nowMs: () => nowMs + lateMs };
    const isPaid = this.#dice.chance(0.7);
    const charge = isPaid ? "always" : "beyond_allowance";
    const ledger = ledgerOn(this.#store, { billing: { charge }, quota: { requestsPerDay: null }, clock });
    const model = this.#dice.chance(0.5) ? "Sim#echo" : "Acme#other";
    const cost = this.#dice.int(1, 900_000_000);
    const id = `${this.#account} ${this.#count++}`;
    const ticket = ledger.ticket(makeAsk(id, key, { offers: () => [costing(900_000_000)], nowMs }));
    await expectGrant(ledger, ticket);
    const tags = this.#dice.pick(TAGS);
    await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: cost, modelUsed: model, tags }));
    const charged = isPaid ? cost : 0;
    this.#balance -= charged;
    const month = findMonth(this.#account, nowMs + lateMs);
    const tagged = (tags ?? "untagged").split(",").map((tag) => `tag ${tag}`);
    for (const line of ["all", `model ${model}`, `key ${key.id}`, ...tagged]) {
      const [before, due] = this.kept.lines.get(`${month} ${line}`) ?? [0, 0];
      this.kept.lines.set(`${month} ${line}`, [before + cost, due + charged]);
    }
  }
}

const sumAll = (sums: Iterable<number>) => [...sums].reduce((sum, one) => sum + one, 0);

/** Sums the exported files of an account, and compares them with the year as the test kept it. */
async function expectExports(parts: ExportParts, account: string, { topups, others, lines }: Kept) {
  const read = async (name: "journal" | "statements") => {
    const rows: Readonly<Record<string, unknown>>[] = [];
    for await (const page of readExport(
      parts,
      EXPORTS[name],
      { account },
      { accountIds: null, personal: null },
    ))
      rows.push(...page);
    const toNano = (usd: unknown) => Math.round((asNumber(usd) ?? Number.NaN) * NANO_PER_USD);
    return (kind: string, field = "amount_usd") =>
      sumAll(rows.filter((row) => row.kind === kind).map((row) => toNano(row[field])));
  };
  const journal = await read("journal");
  const statements = await read("statements");
  const months = [...lines].filter(([name]) => name.endsWith(" all")).map(([, sums]) => sums);
  const cost = sumAll(months.map(([cost]) => cost));
  const charged = sumAll(months.map(([, due]) => due));
  const added = sumAll(topups.values());
  const adjusted = sumAll(others.values());
  expect([account, journal("topup"), journal("adjustment"), journal("charge")]).toEqual([
    account,
    added,
    adjusted,
    -charged,
  ]);
  for (const kind of ["model", "key"])
    expect([kind, statements(kind, "cost_usd"), statements(kind)]).toEqual([kind, cost, charged]);
  expect(statements("topups")).toBe(added);
}

function years(opened: () => TwoStores): void {
  test("adds up to the books in each month, whatever the zone and whenever requests are settled", async () => {
    const store = await opened().bench.open(decideByDemand);
    const clock = { nowMs: () => Date.parse("2027-03-01T00:00:00Z") };
    const more = { random, pepper: new Uint8Array(32), keysExpireMs: () => null, keepMs: () => 0 };
    const parts = { store, clock, dayRules: () => UTC_RULES, ...more };
    for (const [account, [timeZone]] of Object.entries(ZONES)) {
      await unrecorded(store).addAccount(
        makeAccount(account, { timeZone, createdAtMs: Date.parse("2025-12-01T00:00:00Z") }),
      );
      const keys = [
        await addKey(store, `${account}_a`, account),
        await addKey(store, `${account}_b`, account),
      ];
      const year = new Year(store, account, new Dice(SEED + account.length));
      await year.live(keys);
      let balance = 0;
      for (const month of ["2025-12", ...MONTHS, "2027-01", "2027-02"]) {
        const statement = await getStatement(parts, account, month);
        const { topups, others, lines } = year.kept;
        const [cost, charged] = lines.get(`${month} all`) ?? [0, 0];
        const added = topups.get(month) ?? 0;
        const other = others.get(month) ?? 0;
        const after = balance + added + other - charged;
        expect([account, statement]).toMatchObject([
          account,
          {
            month,
            opening_balance_usd: toUsd(balance),
            topups_usd: toUsd(added),
            charges_usd: toUsd(charged),
            adjustments_usd: toUsd(other),
            cost_usd: toUsd(cost),
            closing_balance_usd: toUsd(after),
          },
        ]);
        // Where nothing has a tag, nothing is said of tags.
        if (![...lines.keys()].some((line) => line.startsWith(`${month} tag `) && line.includes("=")))
          lines.delete(`${month} tag untagged`);
        const shown = statement.lines.map((line) => [`${month} ${line.kind} ${line.id}`, line] as const);
        expect(shown.length).toBe(
          [...lines.keys()].filter((line) => line.startsWith(month)).length - (cost > 0 ? 1 : 0),
        );
        for (const [name, { cost_usd, amount_usd }] of shown) {
          expect([name, cost_usd, amount_usd]).toEqual([name, ...(lines.get(name) ?? []).map(toUsd)]);
        }
        balance = after;
      }
      const [last] = (await readJournal(store, account)).slice(-1);
      expect(last?.balanceAfterNanoUsd).toBe(balance);
      await expectExports(parts, account, year.kept);
    }
    expect(findErrors(await store.audit())).toEqual([]);
    await store.close();
  });
}

function closed(opened: () => TwoStores): void {
  test("is unchanged by what comes later, and has no person's name", async () => {
    const { bench } = opened();
    const store = await bench.open(decideByDemand);
    const clock = { atMs: Date.parse("2026-12-01T23:59:00Z"), nowMs: () => clock.atMs };
    const parts = { store, clock, dayRules: () => UTC_RULES };
    const order = { accountId: "default", note: null, entry: null, by: null, timeZone: "UTC" } as const;
    const give = (id: string, at: string) =>
      fundAccount(store, { ...order, id, movement: "topup", nanoUsd: 1, nowMs: Date.parse(at) });
    await give("a", "2026-11-30T23:59:59.999Z");
    await give("b", "2026-12-01T00:00:00Z");
    const open = await getStatement(parts, "default", "2026-11");
    expect(open).toMatchObject({
      state: "open",
      closed_at: null,
      topups_usd: 1e-9,
      closing_balance_usd: 1e-9,
    });
    clock.atMs += 60_000;
    const first = await getStatement(parts, "default", "2026-11");
    expect(first).toEqual({ ...open, state: "closed", closed_at: "2026-12-02T00:00:00.000Z" });
    await unrecorded(store).changeAccount("default", { name: "Renamed", timeZone: "Asia/Tokyo" });
    await bench.raw("UPDATE hourly_usage SET cost_nano = cost_nano + 1");
    await give("late", "2026-11-15T00:00:00Z");
    expect(await getStatement(parts, "default", "2026-11")).toEqual(first);
    expect(formatStatement(first).split("\r\n").slice(0, 3)).toEqual([
      "account_id,account,month,kind,id,name,cost_usd,amount_usd",
      "default,default,2026-11,opening_balance,,,,0",
      "default,default,2026-11,topups,,,,0.000000001",
    ]);
    await store.close();
  });
}
