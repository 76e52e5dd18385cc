// The windows of budgets: days, weeks and months in any zone, changes of zone, clocks that are wrong.
import { describe, expect, test } from "bun:test";
import { DAY, HOUR, NOON } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { budget, budgetBench } from "../budget-bench.ts";

const bench = budgetBench();
const { clock, addKey, hold, end, spend, refusal } = bench;

describe("windows", () => {
  test.each([
    ["day", "UTC", DAY / 2],
    ["day", "America/New_York", DAY / 2 + 5 * HOUR],
    ["day", "Asia/Kolkata", 6.5 * HOUR],
    // 20 November 2026 is a Friday.
    ["week", "UTC", 2.5 * DAY],
    ["month", "UTC", 10.5 * DAY],
  ] as const)("a %s in %s ends after %d ms", async (per, timeZone, leftMs) => {
    await unrecorded(bench.store).changeAccount("default", { timeZone });
    const key = await addKey([budget(1000, { per })]);
    await spend(key, 1000);
    clock.atMs = NOON + leftMs - 1;
    expect((await refusal(key, 1)).resetAtMs).toBe(NOON + leftMs);
    clock.atMs += 1;
    await spend(key, 1000);
    expect((await refusal(key, 1)).code).toBe("budget_exceeded");
  });

  test("a total never starts over", async () => {
    const key = await addKey([budget(1000, { per: "total" })]);
    await spend(key, 1000);
    clock.atMs += 1000 * DAY;
    const { resetAtMs, limit } = await refusal(key, 1);
    expect([resetAtMs, limit?.resetsAtMs]).toEqual([undefined, null]);
  });

  test("a change of zone ends the running one at the new zone's boundary nearest its old end", async () => {
    const key = await addKey([budget(1000)]);
    await spend(key, 1000);
    await unrecorded(bench.store).changeAccount("default", { timeZone: "America/New_York" });
    expect((await refusal(key, 1)).resetAtMs).toBe(NOON + DAY / 2 + 5 * HOUR);
    await unrecorded(bench.store).changeAccount("default", { timeZone: "Asia/Tokyo" });
    // Nine hours before midnight UTC would be three hours from now.
    expect((await refusal(key, 1)).resetAtMs).toBe(NOON + 3 * HOUR);
  });

  test("a request counts in the window of its admission", async () => {
    const key = await addKey([budget(1000)]);
    clock.atMs = NOON + DAY / 2 - 1;
    const ticket = await hold(key, 900);
    clock.atMs += 2;
    await spend(key, 100);
    await end(ticket, 900);
    await spend(key, 900);
    expect((await bench.store.audit()).limits).toEqual([]);
  });

  test("a clock that was far ahead doesn't use up a later window", async () => {
    const key = await addKey([budget(1000)]);
    await spend(key, 600);
    clock.atMs = NOON + 30 * DAY;
    await spend(key, 1000);
    clock.atMs = NOON;
    // Opened again, with everything since its start.
    expect((await refusal(key, 401)).code).toBe("budget_exceeded");
  });
});
