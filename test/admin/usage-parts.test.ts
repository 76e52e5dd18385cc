// Usage on a real store: exported a day at a time, with the same rows as all at once; and summed over the log's rows.
import { beforeEach, describe, expect, test } from "bun:test";
import { readUsage } from "../../src/admin/log/usage.ts";
import type { RequestRecord } from "../../src/core/log/record.ts";
import { DAY, makeRecord, NOON, writeRecord } from "../harness/samples.ts";
import { sumUsage } from "./admin-asked.ts";
import { adminBench } from "./admin-world.ts";

const bench = adminBench();
const RULES = { dayRules: () => ({ timeZone: "UTC", dayStartsMinutes: 0 }), keepMs: () => 20 * DAY };

test("usage by day is read by the day, by month at once", async () => {
  const { world } = bench();
  for (const days of [0, 1, 6, 7, 20, 25])
    await writeRecord(world.store, makeRecord(`request ${days}`, { atMs: NOON - days * DAY }));
  const parts = { ...world, ...RULES };
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

describe("sums of the log's rows", () => {
  const write = (id: string, fields: Partial<RequestRecord>) =>
    writeRecord(bench().world.store, makeRecord(id, fields));
  const sum = (query: object, keepMs = 20 * DAY) =>
    sumUsage({ ...bench().world, ...RULES, keepMs: () => keepMs }, query);

  beforeEach(async () => {
    const fair = { selector: "Router#fair", modelAsked: "Router#fair" };
    await write("a", { ...fair, stream: true, firstTokenMs: 100, session: "s1", tags: "env=prod,team=a" });
    await write("b", { ...fair, modelUsed: "Sim#other", atMs: NOON - 1, traceId: "t1", tags: "team=a" });
    await write("c", {
      status: 502,
      modelUsed: null,
      attempts: 1,
      atMs: NOON - 3 * DAY,
      address: "192.0.2.1",
    });
    await write("old", { ...fair, atMs: NOON - 21 * DAY });
  });

  test("are by selector, with the times to the first token, as far as rows are kept", async () => {
    const { data, rows_from } = await sum({ group_by: "selector,model" });
    expect(rows_from).toBe("2026-10-31T12:00:00.000Z");
    expect(data.map(({ selector, model, requests }) => [selector, model, requests])).toEqual([
      ["", "Sim#echo", 1],
      ["Router#fair", "Sim#echo", 1],
      ["Router#fair", "Sim#other", 1],
    ]);
    expect(data.map(({ first_token_ms: times }) => times?.p50 ?? null)).toEqual([
      null,
      expect.any(Number),
      null,
    ]);
    const longer = await sum({ group_by: "selector", selector: "fair" }, 30 * DAY);
    expect(longer.data).toMatchObject([{ selector: "Router#fair", requests: 3 }]);
  });

  test("have every filter of requests, together and exactly", async () => {
    const count = async (query: object) =>
      (await sum({ group_by: "selector", ...query })).data.reduce((all, { requests }) => all + requests, 0);
    const rows: readonly (readonly [query: object, requests: number])[] = [
      [{ selector: "fair" }, 2],
      [{ selector: "Router#light" }, 0],
      [{ status: "502" }, 1],
      [{ status: "ok" }, 2],
      [{ session: "s1" }, 1],
      [{ trace_id: "t1" }, 1],
      [{ address: "192.0.2.1" }, 1],
      [{ q: "OTHER" }, 1],
      [{ q: "req-a" }, 1],
      [{ ended: "done", selector: "fair", model: "Sim#other" }, 1],
      [{ tag: "env=prod" }, 1],
      [{ outcome: "failed", provider: "Sim" }, 1],
      [{ from: "2026-11-20T12:00:00Z" }, 1],
      [{ to: "2026-10-30" }, 0],
    ];
    for (const [query, requests] of rows) expect([query, await count(query)]).toEqual([query, requests]);
  });

  test("have a row for each tag and day, and hourly sums say nothing of rows", async () => {
    const { data } = await sum({ group_by: "day,tag", selector: "fair" });
    expect(data.map(({ day, tag, requests }) => [day, tag, requests])).toEqual([
      ["2026-11-20", "team=a", 2],
      ["2026-11-20", "env=prod", 1],
    ]);
    expect((await sum({ group_by: "tag", status: "502" })).data).toMatchObject([{ tag: "untagged" }]);
    expect(await sum({ group_by: "model", tag: "team=a" })).not.toHaveProperty("rows_from");
  });

  test("of 24 hours at least, since bare rows stay as long", async () => {
    const { data, rows_from } = await sum({ group_by: "selector" }, 0);
    expect([rows_from, data.length]).toEqual(["2026-11-19T12:00:00.000Z", 1]);
  });
});
