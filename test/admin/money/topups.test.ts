// The operator's top-ups on a real store: made once, refused if invalid, and never left in doubt.
import { beforeEach, describe, expect, test } from "bun:test";
import { viewFields } from "../../../src/admin/fields.ts";
import { getAccount } from "../../../src/admin/money/accounts.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import { ACCOUNT_FIELDS } from "../../../src/core/fields/account.ts";
import type { Store } from "../../../src/core/store.ts";
import { makeAccount } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { createAccount, listJournal, topUpAccount } from "../admin-asked.ts";
import { adminBench, type TestWorld, wrongWith } from "../admin-world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

const topUp = (body: unknown, key: string | null = null, in_: TestWorld = world) =>
  topUpAccount(in_, "default", body, key);

async function amounts(accountId = "default"): Promise<readonly number[]> {
  return (await listJournal(world, accountId, { limit: 200 })).data.map((row) => row.amount_usd);
}

test("are added to the balance, exact to the nano-dollar", async () => {
  const account = await topUp({ amount_usd: 12.345678901 });
  expect(account).toEqual({
    id: "default",
    ...viewFields(ACCOUNT_FIELDS, makeAccount("default")),
    paused_by: [],
    state: "open",
    due_usd: 0,
    balance_usd: 12.345678901,
    held_usd: 0,
    created_at: expect.any(String),
  });
  expect((await topUp({ amount_usd: 1e-9, note: null })).balance_usd).toBe(12.345678902);
  expect(await getAccount(world, "default")).toMatchObject({ balance_usd: 12.345678902 });
});

describe("with an Idempotency-Key", () => {
  test("are made once, however often and on whichever node they are requested", async () => {
    const other = await bench().open();
    const ask = (in_: TestWorld) => topUp({ amount_usd: 5, note: "x" }, "order-1", in_);
    const answers = await Promise.all([ask(world), ask(other), ask(world), ask(other)]);
    await other.store.close();
    expect(new Set(answers.map(({ balance_usd }) => balance_usd))).toEqual(new Set([5]));
    expect((await topUp({ amount_usd: 5, note: "another" }, "order-1")).balance_usd).toBe(5);
    expect(await amounts()).toEqual([5]);
    expect((await listJournal(world, "default", {})).data[0]?.note).toBe("x");
  });

  test("are refused with another amount, and are separate on another account", async () => {
    await topUp({ amount_usd: 5 }, "order-1");
    expect(await wrongWith(() => topUp({ amount_usd: 6 }, "order-1"))).toBe(
      "idempotency_mismatch Idempotency-Key",
    );
    expect((await topUp({ amount_usd: 5 }, "order-2")).balance_usd).toBe(10);
    const { id } = await createAccount(world, { name: "Team" });
    expect((await topUpAccount(world, id, { amount_usd: 6 }, "order-1")).balance_usd).toBe(6);
    expect(await amounts()).toEqual([5, 5]);
  });

  test("without one are separate, even for the same amount", async () => {
    await topUp({ amount_usd: 5 });
    await topUp({ amount_usd: 5 });
    expect(await amounts()).toEqual([5, 5]);
  });

  for (const key of ["", " ", "a b", "ü", "x".repeat(256), "a\n"]) {
    test(`${JSON.stringify(key).slice(0, 20)} is not a valid key`, async () => {
      expect(await wrongWith(() => topUp({ amount_usd: 5 }, key))).toBe("invalid_value Idempotency-Key");
      expect(await amounts()).toEqual([]);
    });
  }
});

const wrong: readonly [body: unknown, fault: string][] = [
  [null, "invalid_type"],
  [{}, "missing_required_parameter amount_usd"],
  [{ amount_usd: null }, "invalid_type amount_usd"],
  [{ amount_usd: "5" }, "invalid_type amount_usd"],
  [{ amount_usd: 0 }, "decimal_below_min_value amount_usd"],
  [{ amount_usd: -5 }, "decimal_below_min_value amount_usd"],
  [{ amount_usd: 1e-10 }, "invalid_value amount_usd"],
  [{ amount_usd: 0.1234567891 }, "invalid_value amount_usd"],
  [{ amount_usd: 1e7 }, "invalid_value amount_usd"],
  [{ amount_usd: Number.NaN }, "invalid_value amount_usd"],
  [{ amount_usd: 5, note: 7 }, "invalid_type note"],
  [{ amount_usd: 5, note: "x".repeat(501) }, "string_above_max_length note"],
  [{ amount_usd: 5, note: "a\u0000b" }, "invalid_value note"],
  [{ amount_usd: 5, note: "a\u009b31mb" }, "invalid_value note"],
  [{ amount_usd: 5, note: "a\nb" }, "invalid_value note"],
  [{ amount_usd: 5, note: "\ud800" }, "invalid_value note"],
  [{ amount_usd: 5, currency: "EUR" }, "unknown_parameter currency"],
];
for (const [body, fault] of wrong) {
  test(`${JSON.stringify(body).slice(0, 60)} is refused: ${fault}`, async () => {
    expect(await wrongWith(() => topUp(body))).toBe(fault);
    expect(await amounts()).toEqual([]);
  });
}

test("are refused above the countable maximum and for unknown accounts", async () => {
  await topUp({ amount_usd: 9_000_000, confirm_amount_usd: 9_000_000 });
  expect(await wrongWith(() => topUp({ amount_usd: 9_000_000, confirm_amount_usd: 9_000_000 }))).toBe(
    "invalid_value amount_usd",
  );
  expect(await wrongWith(() => topUpAccount(world, "acct_none", { amount_usd: 1 }, null))).toBe("not_found");
  expect(await amounts()).toEqual([9_000_000]);
});

test("a note of 500 characters is kept, an empty one is dropped", async () => {
  await topUp({ amount_usd: 1, note: "ü".repeat(500) });
  await topUp({ amount_usd: 1, note: "  " });
  const { data } = await listJournal(world, "default", {});
  expect(data.map(({ note }) => note)).toEqual([undefined, "ü".repeat(500)]);
});

describe("when the store fails", () => {
  const broken = (details = {}) => new Fault("store_unavailable", "away", details);
  /** A store that loses its answers as `losses` says. */
  function losing(losses: readonly ("before" | "after" | "sync" | "never")[]): TestWorld {
    const left = [...losses];
    let loss: string | undefined;
    const transact: Store["transact"] = async (demand) => {
      loss = left.shift();
      if (loss === "before") throw broken();
      const answer = await world.store.transact(demand);
      if (loss === "after") throw broken({ outcomeUnknown: true });
      return answer;
    };
    const durable = async () => {
      if (loss === "sync") throw broken();
      await world.store.durable();
    };
    return { ...world, store: { ...world.store, transact, durable } };
  }

  test("a write in doubt is looked up, not repeated", async () => {
    const once = await topUp({ amount_usd: 5 }, null, losing(["after", "never"]));
    expect(once.balance_usd).toBe(5);
    expect((await topUp({ amount_usd: 5 }, null, losing(["after", "before", "never"]))).balance_usd).toBe(10);
    expect((await topUp({ amount_usd: 5 }, "key", losing(["sync", "never"]))).balance_usd).toBe(15);
    expect(await amounts()).toEqual([5, 5, 5]);
  });

  test("a result that can't be looked up is reported as unknown", async () => {
    for (const losses of [
      ["after", "after", "after"],
      ["after", "before", "before"],
      ["sync", "sync", "sync"],
    ] as const) {
      const thrown = await catchThrown(topUp({ amount_usd: 5 }, "key", losing(losses)));
      if (!(thrown instanceof Fault)) throw new Error("no fault");
      expect(thrown).toMatchObject({ code: "store_unavailable", details: { outcomeUnknown: true } });
      expect(thrown.message).toContain("unknown whether");
    }
    expect((await topUp({ amount_usd: 5 }, "key")).balance_usd).toBe(5);
  });

  test("a write that failed is not retried", async () => {
    const thrown = await catchThrown(topUp({ amount_usd: 5 }, null, losing(["before", "never"])));
    expect(thrown).toMatchObject({ code: "store_unavailable", message: "away" });
    expect(await amounts()).toEqual([]);
  });
});
