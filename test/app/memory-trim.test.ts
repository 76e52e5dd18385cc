// Memory is trimmed once, after a burst of requests, and never while many are waiting; the allocator looks for it seldom.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { trimMemory } from "../../src/app/upkeep/memory-trim.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";

/** Plays one number of open requests per second, and returns the seconds at which memory was trimmed. */
async function collections(open: readonly number[]): Promise<readonly number[]> {
  const clock = new ManualClock();
  const seen: number[] = [];
  let now = 0;
  const collect = () => {
    seen.push(clock.monotonicMs() / 1000);
  };
  const end = trimMemory({ open: () => now, collect }, clock, () => {});
  for (const one of open) {
    now = one;
    await clock.move(1000);
  }
  end();
  await clock.move(60_000);
  return seen;
}

const seconds = (count: number, open: number) => Array.from({ length: count }, () => open);

describe("memory is trimmed", () => {
  test("once, at the second check after a burst", async () => {
    expect(await collections([10, 3000, 5000, 0, 0, ...seconds(60, 0)])).toEqual([5]);
  });

  test("while few of its requests remain, but not while many do", async () => {
    expect(await collections([5000, 50, 50])).toEqual([3]);
    expect(await collections([5000, ...seconds(60, 51)])).toEqual([]);
  });

  test("not in a gap between requests that end and others that arrive", async () => {
    expect(await collections([5000, 0, 5000, 0, 5000])).toEqual([]);
  });

  test("not after a few requests", async () => {
    expect(await collections([499, ...seconds(60, 0)])).toEqual([]);
    expect(await collections([500, 0, 0])).toEqual([3]);
  });

  test("not twice within 30 s, but afterwards for a burst in between", async () => {
    const twice = [800, 0, 0, 900, ...seconds(40, 0)];
    expect(await collections(twice)).toEqual([3, 33]);
  });

  test("not for a burst that a smaller one has followed", async () => {
    expect(await collections([5000, ...seconds(40, 0), 400, ...seconds(40, 0)])).toEqual([3]);
  });
});

test.skipIf(!existsSync("/proc/self/environ"))(
  "a server has room for all calls, looks for memory to give back every two seconds, and compiles by the runtime's defaults",
  async () => {
    const place = newPlace("server: { port: 0 }");
    const serving = startServe(place);
    try {
      await serving.listens();
      const environment = readFileSync(`/proc/${serving.pid}/environ`, "utf8").split("\0");
      expect(environment).toContain("BUN_CONFIG_MAX_HTTP_REQUESTS=65535");
      expect(environment).toContain("MIMALLOC_PURGE_HOLES_MIN_INTERVAL=2000");
      expect(environment.filter((variable) => variable.startsWith("BUN_JSC_"))).toEqual([]);
    } finally {
      serving.end();
      place.remove();
    }
  },
  LONG_MS,
);
