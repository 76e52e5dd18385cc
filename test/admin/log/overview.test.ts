// The operator's overview on a real store: empty steps, totals, the previous range, filters, bad input.
import { beforeEach, expect, test } from "bun:test";
import type { Overview } from "../../../src/admin/log/overview.ts";
import { HOUR, makeRecord, NOON, QUOTA, writeRecord } from "../../harness/samples.ts";
import { overview } from "../admin-asked.ts";
import { adminBench, type TestWorld, wrongWith } from "../admin-world.ts";

const bench = adminBench();
let world: TestWorld;
let made = 0;
beforeEach(() => {
  ({ world } = bench());
});

const asked = (atMs: number, fields: Parameters<typeof makeRecord>[1] = {}) =>
  writeRecord(world.store, makeRecord(`request ${made++}`, { ...fields, atMs }));
const ask = (query: object) => overview({ ...world, dayRules: () => QUOTA }, query);

/** Each step by its start, with its requests and errors. */
const stepsOf = ({ series }: Overview) =>
  series.map(({ at, requests, errors }) => `${at.slice(5, 13)} ${requests} ${errors}`);

test("every day of the range is listed, with totals for it and for the range before", async () => {
  const failed = { modelUsed: null, status: 502, faultCode: "upstream_error", costNanoUsd: 0 };
  await asked(NOON, { chargedNanoUsd: 5000 });
  await asked(NOON - HOUR, { ...failed, keyId: "key_b" });
  await asked(NOON - 48 * HOUR, { modelUsed: "Acme#dear" });
  await asked(NOON - 72 * HOUR, { keyId: "key_b" });
  await asked(NOON - 120 * HOUR, { keyId: "key_b" });
  await asked(NOON - 144 * HOUR);
  const found = await ask({ from: "2026-11-18", to: "2026-11-20" });
  expect([found.from, found.to, found.step]).toEqual([
    "2026-11-18T00:00:00.000Z",
    "2026-11-21T00:00:00.000Z",
    "day",
  ]);
  expect(stepsOf(found)).toEqual(["11-18T00 1 0", "11-19T00 0 0", "11-20T00 2 1"]);
  expect(found.totals).toMatchObject({ requests: 3, errors: 1, charged_usd: 0.000005, cost_usd: 0.0000065 });
  expect(found.previous).toMatchObject({ requests: 2, errors: 0 });
  const isWhole = async (query: object) => (await ask({ from: "2026-11-17", ...query })).previous_is_whole;
  expect([found.previous_is_whole, await isWhole({}), await isWhole({ key_id: "key_b" })]).toEqual([
    true,
    true,
    false,
  ]);
  const only = async (query: object) => stepsOf(await ask({ from: "2026-11-18", ...query })).join(", ");
  expect(await only({ key_id: "key_b" })).toBe("11-18T00 0 0, 11-19T00 0 0, 11-20T00 1 1");
  expect(await only({ provider: "Acme" })).toBe("11-18T00 1 0, 11-19T00 0 0, 11-20T00 0 0");
  expect(await only({ model: "Sim#echo" })).toBe("11-18T00 0 0, 11-19T00 0 0, 11-20T00 2 1");
  expect(await only({ account_id: "acct_none" })).toBe("11-18T00 0 0, 11-19T00 0 0, 11-20T00 0 0");
});

test("a day has the date that it has in the gateway's zone, also where the range cuts it", async () => {
  const datesIn = async (timeZone: string, dayStartsMinutes: number, query: object) => {
    const rules = { ...QUOTA, timeZone, dayStartsMinutes };
    const { series } = await overview({ ...world, dayRules: () => rules }, query);
    return series.map(({ at, day }) => `${at.slice(5, 16)} ${day}`);
  };
  expect(await datesIn("Europe/Berlin", 0, { from: "2026-11-18", to: "2026-11-19" })).toEqual([
    "11-17T23:00 2026-11-18",
    "11-18T23:00 2026-11-19",
  ]);
  const cut = { from: "2026-11-18T12:00:00Z", to: "2026-11-19" };
  expect(await datesIn("Pacific/Auckland", 4 * 60, cut)).toEqual([
    "11-18T12:00 2026-11-18",
    "11-18T15:00 2026-11-19",
  ]);
  const hours = await ask({ from: "2026-11-20T10:00:00Z", to: "2026-11-20T11:00:00Z", step: "hour" });
  expect(hours.series.map(({ day }) => day)).toEqual([undefined]);
});

test("by the hour, the hours that begin within the range are listed", async () => {
  await asked(NOON - 90 * 60_000);
  await asked(NOON - 1, { status: 404 });
  await asked(NOON);
  const span = { from: "2026-11-20T10:00:00Z", to: "2026-11-20T12:30:00Z", step: "hour" };
  expect(stepsOf(await ask(span))).toEqual(["11-20T10 1 0", "11-20T11 1 1", "11-20T12 1 0"]);
  expect(stepsOf(await ask({ ...span, from: "2026-11-20T10:30:00Z" }))).toEqual([
    "11-20T11 1 1",
    "11-20T12 1 0",
  ]);
});

test("time to first token covers streamed answers, per step and in total", async () => {
  for (let at = 0; at < 20; at++) await asked(NOON, { stream: true, firstTokenMs: 100, totalMs: 500 });
  for (let at = 0; at < 20; at++)
    await asked(NOON - 24 * HOUR, { stream: true, firstTokenMs: 1000, totalMs: 2000 });
  await asked(NOON, { firstTokenMs: 60_000, totalMs: 60_000 });
  const { series, totals, previous } = await ask({ from: "2026-11-18", to: "2026-11-20" });
  const near = (found: number | undefined, ms: number) => Math.abs((found ?? 0) / ms - 1) < 0.2;
  expect(series[0]?.first_token_ms).toBeNull();
  expect(near(series[1]?.first_token_ms?.p50, 1000)).toBe(true);
  expect(near(series[2]?.first_token_ms?.p95, 100)).toBe(true);
  expect([near(totals.first_token_ms?.p50, 100), near(totals.first_token_ms?.p95, 1000)]).toEqual([
    true,
    true,
  ]);
  expect(previous.first_token_ms).toBeNull();
});

test.each([
  [{ step: "minute" }, "invalid_value step"],
  [{ step: "hour", from: "2026-10-01" }, "invalid_value from"],
  [{ from: "2024-01-01" }, "invalid_value from"],
  [{ from: "2026-11-20", to: "2026-11-19" }, "invalid_value from"],
  [{ group_by: "day" }, "unknown_parameter group_by"],
])("%p is refused", async (query, expected) => {
  expect(await wrongWith(() => ask(query))).toBe(expected);
});
