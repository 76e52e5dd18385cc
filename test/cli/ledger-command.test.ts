// `poundkey accounts topup`, `accounts show` and `ledger verify`: output, exit codes, and use beside a running gateway.
import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createKey } from "../../src/admin/keys/keys.ts";
import { topUpAccount } from "../../src/admin/money/topups.ts";
import { runAccounts } from "../../src/cli/money/accounts.ts";
import { runLedger } from "../../src/cli/money/ledger.ts";
import { adminBench, type TestWorld } from "../admin/admin-world.ts";
import { poundkey, type Ran, runPrinting } from "../harness/poundkey.ts";
import { makeKey } from "../harness/samples.ts";
import { readSettings } from "../harness/settings.ts";
import { openPayments } from "../ledger/payments.ts";
import { seen } from "../whole/world/observe.ts";
import { asking, startHttpWorld } from "../whole/world/world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

function run(command: typeof runAccounts, ...args: string[]): Promise<Ran> {
  return runPrinting((io) => command(args, io, bench().open, readSettings("")));
}

/** An account with a top-up, a paid request, and one that is still running. */
async function movements(): Promise<void> {
  await topUpAccount(world, "default", { amount_usd: 2 }, null);
  const { id } = await createKey(world, { name: "payer" });
  const payments = openPayments(world.store);
  await payments.post(await payments.hold("done", makeKey(id), 500_000_000), 200_000_000);
  await payments.hold("running", makeKey(id), 250_000_000);
}

describe("accounts", () => {
  test("are topped up once per idempotency key, with a note", async () => {
    const args = ["topup", "default", "12.50", "--note", "May", "--idempotency-key", "may"];
    const said = "Topped up default (default) by 12.5 USD. The balance is now 12.5 USD.";
    expect(await run(runAccounts, ...args)).toEqual({ code: 0, out: said, err: "" });
    expect(await run(runAccounts, ...args)).toEqual({ code: 0, out: said, err: "" });
    const again = await run(runAccounts, "topup", "default", "13", "--idempotency-key", "may");
    expect(again).toMatchObject({ code: 1, out: "", err: expect.stringContaining("another amount") });
    const { out } = await run(runAccounts, "topup", "default", "0.000000001", "--json");
    expect(JSON.parse(out)).toMatchObject({ id: "default", balance_usd: 12.500000001 });
    expect((await run(runAccounts, "show", "default")).out).toMatch(/topup +12\.5 +12\.5 +- +- +May/);
  });

  test("are shown with the end of their journal", async () => {
    await movements();
    const shown = await run(runAccounts, "show", "default");
    const lines = shown.out.split("\n").map((line) => line.split(/ {2,}/));
    expect(lines[1]?.slice(0, 4)).toEqual(["default", "default", "1.55", "0.25"]);
    const at = "2026-11-20T12:00:00.000Z";
    expect(lines.slice(3)).toEqual([
      ["AT", "KIND", "AMOUNT USD", "BALANCE USD", "REQUEST", "ENDED", "NOTE"],
      [at, "charge", "-0.2", "1.8", "done", "done", "-"],
      [at, "topup", "2", "2", "-", "-", "-"],
    ]);
    for (let index = 0; index < 9; index++) await topUpAccount(world, "default", { amount_usd: 1e-9 }, null);
    const { journal, ...account } = JSON.parse((await run(runAccounts, "show", "default", "--json")).out);
    expect(account).toMatchObject({ id: "default", held_usd: 0.25 });
    expect(journal.length).toBe(10);
    expect(journal[0]).toMatchObject({ id: "default.13", kind: "topup", amount_usd: 1e-9 });
    expect((await run(runAccounts, "show", "default")).out).toContain("  0.000000001  ");
    expect((await run(runAccounts, "show", "funding")).out).toContain("-2.000000009");
  });

  const ends: readonly [args: string, code: number, said: RegExp][] = [
    ["topup", 2, /account's id or name, and an amount/],
    ["topup default", 2, /account's id or name, and an amount/],
    ["topup default 1 2", 2, /unexpected argument "2"/],
    ["topup default 0", 2, /AMOUNT.*> 0/],
    ["topup default -5", 2, /-5/],
    ["topup default much", 2, /amount in USD/],
    ["topup default 0x10", 2, /amount in USD/],
    ["topup default 1000000.0000000001", 2, /amount in USD/],
    ["topup default 1 --idempotency-key ü", 2, /--idempotency-key/],
    ["topup default 1 --currency EUR", 2, /currency/],
    ["topup none 1", 1, /no account/],
    ["topup funding 1", 1, /no account/],
    ["show none", 1, /no account/],
  ];
  for (const [args, code, said] of ends) {
    test(`${args} gives exit code ${code}`, async () => {
      const result = await run(runAccounts, ...args.split(" "));
      expect(result).toMatchObject({ code, out: "", err: expect.stringMatching(said) });
    });
  }
});

describe("ledger verify", () => {
  test("reports that the books balance, with their totals", async () => {
    await movements();
    const { code, out, err } = await run(runLedger, "verify");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
      "1 account, 4 entries: the books balance.",
      "",
      "balances 1.55 USD",
      "held 0.25 USD",
      "funding -2 USD",
      "revenue 0.2 USD",
      "overrun 0 USD",
      "receivable 0 USD",
      "sum 0 USD",
    ]);
    expect(JSON.parse((await run(runLedger, "verify", "--json")).out)).toEqual({
      balanced: true,
      accounts: 1,
      entries: 4,
      sums_usd: {
        balances: "1.55",
        held: "0.25",
        funding: "-2",
        revenue: "0.2",
        overrun: "0",
        receivable: "0",
        sum: "0",
      },
      problems: [],
    });
  });

  test("counts what was written off", async () => {
    await topUpAccount(world, "default", { amount_usd: 1 }, null);
    const { id } = await createKey(world, { name: "payer" });
    const payments = openPayments(world.store);
    await payments.post(await payments.hold("dear", makeKey(id), 1_000_000_000), 1_500_000_000);
    const { code, out } = await run(runLedger, "verify", "--json");
    expect(code).toBe(0);
    const sums = { balances: "0", held: "0", funding: "-1", revenue: "1.5", overrun: "-0.5", sum: "0" };
    expect(JSON.parse(out).sums_usd).toEqual({ ...sums, receivable: "0" });
  });

  test("accepts exactly one action", async () => {
    expect(await run(runLedger, "--help")).toMatchObject({ code: 0, err: "" });
    for (const args of [[], ["repair"], ["verify", "default"], ["verify", "--fix"]])
      expect(await run(runLedger, ...args)).toMatchObject({ code: 2, out: "" });
  });

  const journal = "default: balance 1.55 USD, expected 1.65 USD (sum of its journal)";
  const damages: readonly [what: string, sql: string, said: readonly string[]][] = [
    [
      "a balance that was changed",
      "UPDATE account SET balance_nano = balance_nano + 1",
      [
        "default: balance 1.550000001 USD, expected 1.55 USD (sum of its journal)",
        "all accounts: sum 0.000000001 USD, expected 0 USD (each movement has two sides)",
      ],
    ],
    [
      "what is held that was changed",
      "UPDATE account SET held_nano = 0",
      [
        "default: held 0 USD, expected 0.25 USD (sum of its journal)",
        "default: held 0 USD, expected 0.25 USD (sum of its open holds)",
        "all accounts: sum -0.25 USD, expected 0 USD (each movement has two sides)",
      ],
    ],
    [
      "a hold that was lost",
      "DELETE FROM hold",
      ["default: held 0.25 USD, expected 0 USD (sum of its open holds)"],
    ],
    [
      "an entry that was lost",
      "DELETE FROM entry WHERE seq = 3",
      [
        "default: balance 1.55 USD, expected 1.25 USD (sum of its journal)",
        "default: held 0.25 USD, expected 0.75 USD (sum of its journal)",
        "default: entries 4, expected 3 (number in its journal)",
        "default: entries out of sequence 1, expected 0 (each follows from the previous one)",
        "all accounts: sum -0.2 USD, expected 0 USD (each movement has two sides)",
      ],
    ],
    [
      "an entry that was changed, both sides of it",
      "UPDATE entry SET balance_nano = balance_nano + 100000000, revenue_nano = revenue_nano - 100000000 WHERE seq = 3",
      [
        journal,
        "default: entries out of sequence 1, expected 0 (each follows from the previous one)",
        "all accounts: sum -0.1 USD, expected 0 USD (each movement has two sides)",
      ],
    ],
    [
      "entries of no account",
      "INSERT INTO entry SELECT 'acct_gone', seq, at_ms, kind, balance_nano, held_nano, funding_nano, revenue_nano, overrun_nano, balance_after_nano, request_id, usage_source, ended, note, held_after_nano FROM entry WHERE seq = 1",
      [
        "all accounts: stray entries 1, expected 0 (each belongs to an account)",
        "all accounts: sum -2 USD, expected 0 USD (each movement has two sides)",
      ],
    ],
  ];
  for (const [what, sql, said] of damages) {
    test(`detects ${what}`, async () => {
      await movements();
      const database = new Database(join(bench().folder, "poundkey.db"));
      database.run("PRAGMA foreign_keys = OFF");
      database.run(sql);
      database.close();
      const { code, out, err } = await run(runLedger, "verify");
      expect(code).toBe(1);
      expect(out.split("\n\n")[0]?.split("\n")).toEqual([...said]);
      expect(err).toBe(
        `poundkey: The books do not balance: ${said.length} ${said.length === 1 ? "problem" : "problems"}.`,
      );
      const told = await run(runLedger, "verify", "--json");
      expect(told.code).toBe(1);
      expect(JSON.parse(told.out)).toMatchObject({ balanced: false, problems: { length: said.length } });
    });
  }
});

describe("beside a running gateway", () => {
  const beside = (directory: string, ...args: string[]) =>
    poundkey(directory, [...args, "--config", join(directory, "poundkey.yaml")]);

  test("a top-up is available to the next request, and the books balance while requests run", async () => {
    const gateway = await startHttpWorld();
    try {
      const { secret } = await gateway.newKey({ requests_per_day: 0 });
      const ask = async () => seen(await gateway.chat(asking("Acme#cheap"), { secret }));
      await ask();
      expect((await ask()).status).toBe(429);
      const topped = await beside(gateway.directory, "accounts", "topup", "default", "1", "--json");
      const store = join(gateway.directory, "poundkey.db");
      expect(topped).toMatchObject({ code: 0, err: `poundkey: using the store at ${store}\n` });
      expect(JSON.parse(topped.out)).toMatchObject({ balance_usd: 1 });
      const [paid] = await Promise.all([ask(), ask(), ask(), ask()]);
      expect(paid).toMatchObject({ status: 200, body: { usage: { charged: expect.any(Number) } } });
      const running = Promise.all([ask(), ask(), ask(), ask()]);
      const verified = await beside(gateway.directory, "ledger", "verify", "--json");
      await running;
      expect(verified).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(verified.out)).toMatchObject({
        balanced: true,
        sums_usd: { sum: "0", funding: "-1" },
      });
      const shown = await beside(gateway.directory, "accounts", "show", "default", "--json");
      expect(JSON.parse(shown.out)).toMatchObject({ held_usd: 0, journal: { length: 9 } });
    } finally {
      await gateway.stop();
    }
  });
});
