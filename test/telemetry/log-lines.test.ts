// Log lines: one JSON object each, in order, written together if they arrive together.
import { expect, test } from "bun:test";
import type { Level } from "../../src/core/world/world.ts";
import { createLineLog, gatherWrites } from "../../src/telemetry/log-lines.ts";
import { makeRecord, NOON } from "../harness/samples.ts";

test("lines of one turn are written at once, and the rest at the end", () => {
  const written: string[] = [];
  const tasks: (() => void)[] = [];
  const lines = gatherWrites(
    (text) => written.push(text),
    (task) => tasks.push(task),
  );
  lines.write("1\n");
  lines.write("2\n");
  expect(written).toEqual([]);
  for (const task of tasks.splice(0)) task();
  expect(written).toEqual(["1\n2\n"]);
  lines.write("3\n");
  lines.flush();
  expect(written).toEqual(["1\n2\n", "3\n"]);
  for (const task of tasks.splice(0)) task();
  lines.flush();
  expect(written).toEqual(["1\n2\n", "3\n"]);
});

test("a request's line has its record and other facts, and lines below the level are dropped", () => {
  const written: string[] = [];
  let least: Level = "info";
  const log = createLineLog(
    (line) => written.push(line),
    () => NOON,
    () => least,
  );
  log({ event: "retry_refused", level: "debug" });
  log({ event: "request", record: makeRecord("r1", { costNanoUsd: 7 }), late: false });
  log({ event: "settle_lost", level: "error", id: "r2" });
  least = "error";
  log({ event: "config_reloaded", level: "warn" });
  expect(written.every((line) => line.endsWith("}\n"))).toBe(true);
  const at = "2026-11-20T12:00:00.000Z";
  const [request, lost, ...others] = written.map((line): unknown => JSON.parse(line));
  expect(others).toEqual([]);
  expect(request).toMatchObject({
    at,
    level: "info",
    event: "request",
    id: "r1",
    cost_nanousd: 7,
    late: false,
  });
  expect(lost).toEqual({ at, level: "error", event: "settle_lost", id: "r2" });
});
