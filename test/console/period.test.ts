// Periods that the console's addresses name: calendar months, and the last days of the gateway.
import { expect, test } from "bun:test";
import { readPeriod, UTC_DAYS } from "../../src/console/frame/period.ts";

test("calendar months are those of the time zone, with its half hours and its change to summer time", () => {
  const monthOf = (range: string, timeZone: string, atMs = Date.UTC(2026, 2, 31, 23)) =>
    Object.values(
      readPeriod(new URLSearchParams({ range }), { atMs, days: UTC_DAYS, timeZone, fallback: "" }),
    ).join(" ");
  expect(monthOf("month", "UTC")).toBe("2026-03-01T00:00:00.000Z 2026-04-01T00:00:00.000Z");
  expect(monthOf("last-month", "Europe/Berlin")).toBe("2026-02-28T23:00:00.000Z 2026-03-31T22:00:00.000Z");
  expect(monthOf("month", "Asia/Kolkata")).toBe("2026-03-31T18:30:00.000Z 2026-04-30T18:30:00.000Z");
  const january = Date.UTC(2026, 0, 15);
  expect(monthOf("last-month", "UTC", january)).toBe("2025-12-01T00:00:00.000Z 2026-01-01T00:00:00.000Z");
});

test("the last days are whole ones of the gateway, with its summer time and the hour at which it begins them", () => {
  const lastOf = (timeZone: string, atMs: number, startsMinutes = 0, range = "30d") =>
    Object.values(
      readPeriod(new URLSearchParams({ range }), {
        atMs,
        days: { timeZone, startsMinutes },
        timeZone: "UTC",
        fallback: "",
      }),
    ).join(" ");
  const late = Date.UTC(2026, 10, 26, 23, 30);
  expect(lastOf("UTC", late)).toBe("2026-10-28T00:00:00.000Z 2026-11-27T00:00:00.000Z");
  expect(lastOf("Europe/Berlin", late)).toBe("2026-10-28T23:00:00.000Z 2026-11-27T23:00:00.000Z");
  expect(lastOf("Europe/Berlin", Date.UTC(2026, 3, 2))).toBe(
    "2026-03-03T23:00:00.000Z 2026-04-02T22:00:00.000Z",
  );
  expect(lastOf("America/Los_Angeles", late)).toBe("2026-10-28T07:00:00.000Z 2026-11-27T08:00:00.000Z");
  expect(lastOf("Pacific/Auckland", late, 4 * 60)).toBe("2026-10-28T15:00:00.000Z 2026-11-27T15:00:00.000Z");
  expect(lastOf("Asia/Kolkata", late, 0, "7d")).toBe("2026-11-20T00:00:00.000Z 2026-11-27T00:00:00.000Z");
});
