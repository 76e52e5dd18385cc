// Batches as pure rules: states of lines and batches, turns, pacing, tries.
import { describe, expect, test } from "bun:test";
import { NO_COUNTS, NO_SUMS } from "../../src/core/batches/batch.ts";
import type { LinePace } from "../../src/core/batches/line-pace.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import {
  cancel,
  complete,
  fail,
  finalize,
  findRestEnd,
  resume,
  startRunning,
  wait,
} from "../../src/jobs/job.ts";
import {
  addEnds,
  addTry,
  countLeft,
  countTries,
  endLines,
  endRest,
  isOpen,
  openLines,
} from "../../src/jobs/lines.ts";
import { Pacing } from "../../src/jobs/pacing.ts";
import { judgeFailure } from "../../src/jobs/trying.ts";
import { Turns } from "../../src/jobs/turns.ts";
import { makeBatch } from "../harness/batches.ts";
import { NOON } from "../harness/samples.ts";

const NO_FINDINGS = { model: null, estimatedNanoUsd: 0, worstNanoUsd: 0 };

describe("lines", () => {
  test("end once, and count their failed tries until then", () => {
    const tried = addTry(addTry(openLines(3), 1), 1);
    expect([countTries(tried, 1), countTries(tried, 0)]).toEqual([2, 0]);
    const twice = [
      { at: 1, end: "completed" },
      { at: 1, end: "failed" },
    ] as const;
    const ended = endLines(endLines(tried, twice), [{ at: 1, end: "failed" }]);
    expect(addTry(ended, 1)).toBe(ended);
    expect([isOpen(ended, 1), isOpen(ended, 2)]).toEqual([false, true]);
    const counts = addEnds({ ...NO_COUNTS, total: 3 }, openLines(3), endRest(ended, "expired"));
    expect(counts).toEqual({ ...NO_COUNTS, total: 3, completed: 1, expired: 2 });
    expect(countLeft(counts)).toBe(0);
  });
});

describe("a batch", () => {
  const validating = makeBatch("batch_1", { status: "validating" });
  const running = startRunning(validating, { ...NO_FINDINGS, total: 1 }, NOON).batch;

  test("runs, is put together once no line is left, and is completed", () => {
    expect([running.status, running.detail.times.runningMs]).toEqual(["in_progress", NOON]);
    expect(finalize(running, NOON).batch).toBe(running);
    const counted = {
      ...running,
      detail: { ...running.detail, counts: { ...NO_COUNTS, total: 1, failed: 1 } },
    };
    const finalizing = finalize(counted, NOON + 1).batch;
    expect(finalizing.status).toBe("finalizing");
    const done = complete(finalizing, { outputFileId: null, errorFileId: "file-1", sums: NO_SUMS }, NOON + 2);
    expect([done.batch.status, done.batch.endedAtMs]).toEqual(["completed", NOON + 2]);
    expect(done.events.map(({ type }) => type)).toEqual(["batch.completed"]);
    // It ends once.
    expect(fail(done.batch, [], NOON + 3).events).toEqual([]);
    expect(cancel(done.batch, NOON + 3).batch).toBe(done.batch);
  });

  test("is cancelled at once before its lines are known, with each of them once they are counted", () => {
    expect(cancel(validating, NOON).batch.status).toBe("cancelled");
    const cancelling = cancel(running, NOON).batch;
    expect([cancelling.status, findRestEnd(cancelling, NOON)]).toEqual(["cancelling", "cancelled"]);
    expect(startRunning(cancelling, { ...NO_FINDINGS, total: 9 }, NOON).batch).toBe(cancelling);
    const known = makeBatch("batch_1", { status: "validating" }, { counts: { ...NO_COUNTS, total: 2 } });
    const stopped = cancel(known, NOON).batch;
    expect([stopped.status, stopped.detail.times.cancellingMs]).toEqual(["validating", NOON]);
    expect(cancel(stopped, NOON + 1).batch).toBe(stopped);
    expect(startRunning(stopped, { ...NO_FINDINGS, total: 2 }, NOON).batch.status).toBe("cancelling");
    const why = { code: "invalid_api_key", message: "It was revoked.", resetsAtMs: null, sinceMs: NOON };
    expect(resume(cancel(running, NOON, why).batch, true).detail.waiting).toEqual(why);
  });

  test("ends with its window", () => {
    expect(findRestEnd(running, running.expiresAtMs - 1)).toBeNull();
    expect(findRestEnd(running, running.expiresAtMs)).toBe("expired");
  });

  test("tells once that it waits, however often it is refused, until a line runs again", () => {
    const why = { code: "insufficient_balance", message: "Top up.", resetsAtMs: null };
    const first = wait(running, why, NOON);
    const second = wait(first.batch, why, NOON + 5000);
    expect([first.events.length, second.events.length, second.batch.detail.waiting?.sinceMs]).toEqual([
      1,
      0,
      NOON,
    ]);
    expect(wait(resume(second.batch, true), why, NOON + 9000).events).toHaveLength(1);
  });
});

test("accounts take turns, an account's payers, and a payer's batches", () => {
  const turns = new Turns();
  const [a1, a2, a3, b1] = [
    { accountId: "a", payer: "a ann", id: "a1" },
    { accountId: "a", payer: "a ann", id: "a2" },
    { accountId: "a", payer: "a abe", id: "a3" },
    { accountId: "b", payer: "b", id: "b1" },
  ];
  const all = [a1, a2, a3, b1];
  const order = Array.from({ length: 8 }, () => turns.next(all)?.id);
  expect(order).toEqual(["a1", "b1", "a3", "b1", "a2", "b1", "a3", "b1"]);
  turns.keep([b1]);
  expect([turns.next([b1])?.id, turns.next([])]).toEqual(["b1", null]);
});

describe("pacing", () => {
  const makePace = (room: number): LinePace => ({
    restsUntilMs: 0,
    answeredMs: 0,
    countRoom: () => room,
  });
  const advance = () => {};

  test("lets one line ask where lines of its model go, and as many others start as there is room for", () => {
    const pacing = new Pacing();
    let advanced = 0;
    const first = pacing.begin("m", NOON, () => void advanced++);
    expect([pacing.may("m", NOON), pacing.may("n", NOON)]).toEqual([false, true]);
    const paces = [makePace(2), makePace(0)];
    first.plan(paces);
    expect([pacing.may("m", NOON), advanced]).toEqual([true, 1]);
    const others = [pacing.begin("m", NOON, advance), pacing.begin("m", NOON, advance)];
    // They haven't gone anywhere yet, so that nobody else counts them.
    expect(pacing.may("m", NOON)).toBe(false);
    for (const other of others) other.place();
    expect(pacing.may("m", NOON)).toBe(true);
  });

  test("counts lines of all batches that go to the same place, and those that never went there no longer", () => {
    const pacing = new Pacing();
    const paces = [makePace(1)];
    for (const model of ["one", "other"]) {
      const asking = pacing.begin(model, NOON, advance);
      asking.plan(paces);
      asking.end();
    }
    const line = pacing.begin("one", NOON, advance);
    expect(pacing.may("other", NOON)).toBe(false);
    line.end();
    line.place();
    expect(pacing.may("other", NOON)).toBe(true);
  });

  test("leaves lines to a selector, which finds another model where one has no room", () => {
    const pacing = new Pacing();
    for (let line = 0; line < 3; line++) pacing.begin("m", NOON, advance).plan([]);
    expect(pacing.may("m", NOON)).toBe(true);
  });
});

describe("a model that takes no line", () => {
  const advance = () => {};

  test("is tried by one line at a time, each after the time that the last was told, until one is answered", () => {
    const pacing = new Pacing();
    pacing.begin("m", NOON, advance).end();
    pacing.shut("m", NOON, 5000);
    // Lines that were on their way together move nothing.
    pacing.shut("m", NOON + 1, 30_000);
    expect([pacing.may("m", NOON + 4999), pacing.may("m", NOON + 5000)]).toEqual([false, true]);
    const trial = pacing.begin("m", NOON + 5000, advance);
    trial.plan([]);
    trial.place();
    expect(pacing.may("m", NOON + 60_000)).toBe(false);
    trial.end();
    expect([pacing.may("m", NOON + 5001), pacing.isShut("m")]).toEqual([true, true]);
    pacing.open("m", NOON + 5002);
    expect([pacing.isShut("m"), pacing.describe("m")?.answeredMs]).toEqual([false, NOON + 5002]);
  });

  test("is tried after 1 s doubling to 60 s, where nobody says when", () => {
    const pacing = new Pacing();
    let atMs = NOON;
    const waits = Array.from({ length: 8 }, () => {
      const sinceMs = atMs;
      atMs = pacing.shut("m", sinceMs, null);
      return (atMs - sinceMs) / 1000;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });
});

describe("a failed try", () => {
  const judge = (fault: Fault, failed = 0, waits = failed) =>
    judgeFailure(fault, { batchId: "batch_1", failed, waits, triesMax: 3 });

  test.each([
    ["insufficient_balance", "stop"],
    ["budget_exceeded", "stop"],
    ["rate_limit_exceeded", "stop"],
    ["key_paused", "stop"],
    ["account_paused", "stop"],
    ["sign_in_required", "stop"],
    ["invalid_api_key", "cancel"],
    ["too_many_parallel_requests", "crowded"],
    ["requests_per_minute_exceeded", "crowded"],
    ["budget_reserved", "crowded"],
    ["provider_busy", "unsent"],
    ["no_provider_available", "unsent"],
    ["upstream_auth", "again"],
    ["overloaded", "again"],
    ["upstream_error", "again"],
    ["upstream_rejected", "end"],
    ["model_not_found", "end"],
    ["content_blocked", "end"],
  ] as const)("%s: %s", (code, kind) => {
    expect(judge(new Fault(code, "x")).kind).toBe(kind);
  });

  test("ends the line after its tries, if the provider answers with errors", () => {
    expect(judge(new Fault("upstream_timeout", "x"), 1)).toMatchObject({ kind: "again", isCounted: true });
    expect(judge(new Fault("upstream_timeout", "x"), 2)).toEqual({ kind: "end" });
    const busy = new Fault("provider_busy", "x", { upstreamStatus: 429 });
    expect(judge(busy, 30)).toMatchObject({ kind: "again", isCounted: false });
  });

  test("by the batch's own ceiling ends the batch, by any other budget lets it wait", () => {
    const limit = { scope: "account", name: "batch_1", kind: "budget", limit: 1, used: 1 } as const;
    expect(judge(new Fault("budget_exceeded", "x", { limit })).kind).toBe("unpaid");
    expect(judge(new Fault("budget_exceeded", "x", { limit: { ...limit, name: "default" } })).kind).toBe(
      "stop",
    );
  });

  test("waits from 1 s to 60 s, and as long as the provider says", () => {
    const waits = [0, 1, 5, 6, 99].map((again) => judge(new Fault("overloaded", "x"), 0, again));
    expect(waits).toMatchObject([1000, 2000, 32_000, 60_000, 60_000].map((afterMs) => ({ afterMs })));
    const slow = judge(new Fault("provider_busy", "x", { retryAfterMs: 9000 }));
    expect(slow).toMatchObject({ afterMs: 9000 });
  });
});
