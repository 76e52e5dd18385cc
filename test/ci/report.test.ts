// The lines that the whole run prints of a step.
import { expect, test } from "bun:test";
import { describeOutcome } from "./report.ts";
import type { Outcome } from "./row.ts";

const GREEN: Outcome = { name: "rooms", passed: 3, failed: 0, files: [], seconds: 2, cpu: 1, text: "" };
const HALVES = { count: (seconds: number) => seconds * 2 };

test("a green step says what it skipped, once", () => {
  const text = "skipped: no pgbouncer on this machine\n 3 pass\nskipped: no pgbouncer on this machine\n";
  expect(describeOutcome({ ...GREEN, text }, HALVES)).toBe(
    "(pass) rooms: 3 passed, 0 failed (2 s, 2.0 units)\n  skipped: no pgbouncer on this machine",
  );
  expect(describeOutcome(GREEN, HALVES)).toBe("(pass) rooms: 3 passed, 0 failed (2 s, 2.0 units)");
});
