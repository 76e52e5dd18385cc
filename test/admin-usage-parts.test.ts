// Usage that is exported, on a real store: read a day at a time, with the same rows as all at once.
import { expect, test } from "bun:test";
import { readUsage } from "../src/admin/usage.ts";
import { sumUsage } from "./admin-asked.ts";
import { adminBench } from "./admin-world.ts";
import { DAY, makeRecord, NOON, writeRecord } from "./samples.ts";

const bench = adminBench();

test("usage by day is read by the day, by month at once", async () => {
  const { world } = bench();
  for (const days of [0, 1, 6, 7, 20, 25])
    await writeRecord(world.store, makeRecord(`request ${days}`, { atMs: NOON - days * DAY }));
  const parts = { ...world, dayRules: () => ({ timeZone: "UTC", dayStartsMinutes: 0 }) };
  const readParts = async (group_by: string) => Array.fromAsync(readUsage(parts, { group_by }));
  const byDay = await readParts("day,key");
  expect<unknown>(byDay.flat()).toEqual((await sumUsage(parts, { group_by: "day,key" })).data);
  expect(byDay.flat().length).toBe(6);
  expect(Math.max(...byDay.map((rows) => rows.length))).toBe(1);
  const [months = [], ...others] = await readParts("month");
  expect(others).toEqual([]);
  expect(months.map(({ month, requests }) => [month, requests])).toEqual([
    ["2026-10", 2],
    ["2026-11", 4],
  ]);
});
