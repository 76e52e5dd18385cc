// The operator's days: their bounds in any time zone, even when the clocks change.
import { describe, expect, test } from "bun:test";
import { computeDay, dayAfter, monthStartMs } from "../../src/ledger/limits/day.ts";
import { HOUR } from "../harness/samples.ts";

describe("the day that contains a time", () => {
  const rows: readonly [
    zone: string,
    minutes: number,
    at: string,
    name: string,
    start: string,
    hours: number,
  ][] = [
    ["UTC", 0, "2026-11-20T23:59:59.999Z", "2026-11-20", "2026-11-20T00:00:00Z", 24],
    ["UTC", 0, "2026-11-21T00:00:00Z", "2026-11-21", "2026-11-21T00:00:00Z", 24],
    ["UTC", 330, "2026-11-20T05:29:59Z", "2026-11-19", "2026-11-19T05:30:00Z", 24],
    ["Asia/Kolkata", 0, "2026-11-20T18:30:00Z", "2026-11-21", "2026-11-20T18:30:00Z", 24],
    ["Asia/Tokyo", 540, "2026-11-20T00:00:00Z", "2026-11-20", "2026-11-20T00:00:00Z", 24],
    ["Pacific/Kiritimati", 0, "2026-11-20T10:00:00Z", "2026-11-21", "2026-11-20T10:00:00Z", 24],
    ["Europe/Berlin", 0, "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-28T23:00:00Z", 23],
    ["Europe/Berlin", 0, "2026-10-25T12:00:00Z", "2026-10-25", "2026-10-24T22:00:00Z", 25],
    // 02:30 does not exist on that day: it begins when the clocks skip it.
    ["Europe/Berlin", 150, "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-29T01:00:00Z", 23.5],
    // 02:30 comes twice on that day: it begins at the first.
    ["Europe/Berlin", 150, "2026-10-25T01:10:00Z", "2026-10-25", "2026-10-25T00:30:00Z", 25],
    // Clocks go from 24:00 back to 23:00, so midnight comes an hour late.
    ["America/Sao_Paulo", 0, "2018-02-18T02:30:00Z", "2018-02-17", "2018-02-17T02:00:00Z", 25],
    // Midnight does not exist on that day.
    ["America/Sao_Paulo", 0, "2018-11-04T12:00:00Z", "2018-11-04", "2018-11-04T03:00:00Z", 23],
    // The whole of the 30th was skipped.
    ["Pacific/Apia", 0, "2011-12-30T10:00:00Z", "2011-12-31", "2011-12-30T10:00:00Z", 24],
  ];
  for (const [timeZone, dayStartsMinutes, at, name, start, hours] of rows) {
    test(`${at} in ${timeZone}, days from minute ${dayStartsMinutes}`, () => {
      const day = computeDay(Date.parse(at), { timeZone, dayStartsMinutes });
      expect(day.name).toBe(name);
      expect(new Date(day.startMs).toISOString()).toBe(new Date(start).toISOString());
      expect((day.endMs - day.startMs) / HOUR).toBe(hours);
    });
  }

  test("a moment that was measured finer than to the millisecond has one", () => {
    const rules = { timeZone: "Europe/Berlin", dayStartsMinutes: 0 };
    expect(computeDay(Date.parse("2026-11-20T22:59:59.999Z") + 0.5, rules).name).toBe("2026-11-20");
    expect(computeDay(Date.parse("2026-11-20T23:00:00Z") + 0.5, rules).name).toBe("2026-11-21");
  });

  test("days follow each other without a gap for years, in any zone", () => {
    for (const timeZone of [
      "America/New_York",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "Asia/Kathmandu",
    ]) {
      const rules = { timeZone, dayStartsMinutes: 0 };
      let day = computeDay(Date.UTC(2025, 0, 1), rules);
      for (let count = 0; count < 800; count++) {
        const next = dayAfter(day, rules);
        expect(next.startMs).toBe(day.endMs);
        expect(next.name > day.name).toBe(true);
        day = next;
      }
    }
  });

  test("a month begins on its first day", () => {
    const rules = { timeZone: "Europe/Berlin", dayStartsMinutes: 60 };
    expect(monthStartMs(Date.parse("2026-11-20T12:00:00Z"), rules)).toBe(Date.parse("2026-11-01T00:00:00Z"));
  });
});
