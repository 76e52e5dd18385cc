// A call over a kept connection that is reset: soon after it was sent the connection was closed before, later the provider failed.
import { expect, test } from "bun:test";
import { Ending } from "../../src/core/world/ending.ts";
import { UpstreamCall } from "../../src/transport/client.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { ManualClock } from "../harness/manual-clock.ts";

const OUTGOING = { url: "http://up.example/v1", headers: {}, body: {}, dropped: [] };

/** Sends a call that is reset after a time, on the origin's kept connection if it has one. Returns whether that was to blame. */
async function isStale(resetAfterMs: number, { isKept = true, fresh = false } = {}): Promise<boolean> {
  const clock = new ManualClock();
  const deadlines = new DeadlineSweep(clock);
  const kept = new KeptConnections();
  if (isKept) kept.keep("http://up.example", clock.nowMs());
  const ports = {
    clock,
    deadlines,
    kept,
    reachability: new Reachability(deadlines, async () => true),
    authorize: () => ({ headers: {} }),
    fetch() {
      const { promise, reject } = Promise.withResolvers<Response>();
      clock.after(resetAfterMs, () => reject(Object.assign(new Error("reset"), { code: "ECONNRESET" })));
      return promise;
    },
  };
  const terms = {
    client: new Ending(),
    credential: { secret: null, weight: 1 },
    upstream: { redactedWords: [] },
    fresh,
  };
  const call = new UpstreamCall(ports, terms, 60_000);
  const broken = call.send(OUTGOING, 10_000).then(
    () => null,
    (thrown: unknown) => call.toFault(thrown),
  );
  await clock.move(resetAfterMs);
  return (await broken)?.details.stale === true;
}

test.each([
  [0, true],
  [999, true],
  [1000, false],
])("a kept connection that is reset after %d ms had been closed before: %p", async (afterMs, stale) => {
  expect(await isStale(afterMs)).toBe(stale);
});

test("a new connection that is reset was never closed before", async () => {
  expect(await isStale(0, { isKept: false })).toBe(false);
  expect(await isStale(0, { fresh: true })).toBe(false);
});
