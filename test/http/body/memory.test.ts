// The accounting of the memory for request bodies: shares, room made by ending the slowest, and sums that end at zero.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { BodyMemory, type HeldBody, ONE_GO_BYTES, SMALL_BYTES } from "../../../src/http/body/body-memory.ts";
import { Dice } from "../../sim/dice.ts";

const MEGABYTE = 1_000_000;
const MEMORY = 64 * MEGABYTE;
const NOTHING = { small: 0, large: 0 };

const clock = { atMs: 0, nowMs: () => clock.atMs };
let memory: BodyMemory;
/** Names of the bodies that were ended for others, in order. */
let ended: string[];

beforeEach(() => {
  clock.atMs = 0;
  memory = new BodyMemory(MEMORY, clock);
  ended = [];
});

/** A body named after its owner, so far without a byte. */
function expectBody(owner: string, declaredBytes: number | null): HeldBody {
  const held = memory.open();
  held.expect({ owner, declaredBytes, onEnded: ({ code }) => ended.push(`${owner} ${code}`) });
  return held;
}

function arrive(owner: string, bytes: number): HeldBody {
  const held = expectBody(owner, bytes);
  held.arrive(bytes);
  return held;
}

function arriveWhole(owner: string, bytes: number): HeldBody {
  const held = arrive(owner, bytes);
  held.finish();
  return held;
}

function readRefusal(task: () => unknown): string {
  try {
    task();
    return "taken";
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.code : String(thrown);
  }
}

describe("a large body", () => {
  test("counts as it arrives, not as promised", () => {
    const held = expectBody("a", 32 * MEGABYTE);
    expect(memory.bytes).toEqual(NOTHING);
    held.arrive(10_000);
    expect(memory.bytes).toEqual({ small: 0, large: 10_000 });
    held.finish();
    expect(memory.bytes.large).toBe(10_000);
    held.release();
    expect(memory.bytes).toEqual(NOTHING);
  });

  test("is released once, however many ways out it takes", () => {
    const one = arriveWhole("a", MEGABYTE);
    const other = arriveWhole("a", MEGABYTE);
    one.release();
    one.release();
    one.arrive(5);
    expect(memory.bytes.large).toBe(MEGABYTE);
    other.release();
    expect(memory.bytes).toEqual(NOTHING);
  });

  test("frees its bytes if nobody reads them any more, and not if its request goes on", () => {
    const refused = new Uint8Array(MEGABYTE);
    const sent = new Uint8Array(MEGABYTE);
    const held = [arriveWhole("a", MEGABYTE), arriveWhole("a", MEGABYTE)] as const;
    held[0].own(refused);
    held[0].discard();
    held[0].discard();
    held[1].own(sent);
    held[1].release();
    expect([refused.length, sent.length]).toEqual([0, MEGABYTE]);
    expect(memory.bytes).toEqual(NOTHING);
  });

  test("may keep a part of its memory, and then none", () => {
    const held = arriveWhole("a", MEGABYTE);
    held.shrinkTo(2 * MEGABYTE);
    expect(memory.bytes.large).toBe(MEGABYTE);
    held.shrinkTo(1000);
    expect([memory.bytes.large, held.bytes]).toEqual([1000, 1000]);
    held.release();
    expect(memory.bytes).toEqual(NOTHING);
  });

  test("of unknown length counts as small until it no longer is", () => {
    const held = expectBody("a", null);
    held.arrive(SMALL_BYTES);
    expect(memory.bytes).toEqual({ small: SMALL_BYTES, large: 0 });
    held.arrive(1);
    expect(memory.bytes).toEqual({ small: 0, large: SMALL_BYTES + 1 });
    held.release();
    expect(memory.bytes).toEqual(NOTHING);
  });
});

describe("a body read in one go", () => {
  test("counts as promised, and is ended first if it is the oldest", () => {
    for (const owner of ["a", "b", "c"]) arriveWhole(owner, 16 * MEGABYTE);
    const stalled = expectBody("stalled", ONE_GO_BYTES);
    expect(memory.bytes.large).toBe(48 * MEGABYTE + ONE_GO_BYTES);
    clock.atMs += 8000;
    expectBody("young", ONE_GO_BYTES);
    const rest = MEMORY - memory.bytes.large;
    expect(readRefusal(() => arrive("d", rest + 1))).toBe("taken");
    expect([ended, stalled.bytes]).toEqual([["stalled request_timeout"], 0]);
  });

  test("counts as it arrives once a quarter of the memory is promised", () => {
    const promised: HeldBody[] = [];
    const mayPromise = () => memory.open().fitsInOneGo(ONE_GO_BYTES);
    while (mayPromise()) promised.push(expectBody(`account ${promised.length}`, ONE_GO_BYTES));
    expect(promised.length).toBe(Math.floor(MEMORY / 4 / ONE_GO_BYTES));
    const { large } = memory.bytes;
    expect(large).toBe(promised.length * ONE_GO_BYTES);
    expectBody("late", ONE_GO_BYTES).arrive(100);
    expect([memory.bytes.large, expectBody("small", SMALL_BYTES).bytes]).toEqual([large + 100, SMALL_BYTES]);
    promised[0]?.finish();
    promised[0]?.release();
    expect(mayPromise()).toBe(true);
    for (const one of promised) one.release();
    expect(memory.bytes.large).toBe(100);
  });

  test("is none of unknown length, or above 256 KB", () => {
    const held = memory.open();
    const fits = [1, ONE_GO_BYTES, ONE_GO_BYTES + 1, 0, null].map((bytes) => held.fitsInOneGo(bytes));
    expect(fits).toEqual([true, true, false, false, false]);
  });
});

describe("an account", () => {
  test("may hold half of the memory while nobody else needs it", () => {
    for (let count = 0; count < 4; count++) arriveWhole("a", 8 * MEGABYTE);
    expect(memory.bytes.large).toBe(MEMORY / 2);
    expect(readRefusal(() => arrive("a", 70_000))).toBe("too_many_parallel_requests");
  });

  test("may hold a quarter while more than half is in use", () => {
    arriveWhole("b", 16 * MEGABYTE);
    arriveWhole("c", 16 * MEGABYTE);
    expect(readRefusal(() => arrive("a", 16 * MEGABYTE))).toBe("taken");
    expect(readRefusal(() => arrive("a", 70_000))).toBe("too_many_parallel_requests");
    expect(readRefusal(() => arrive("d", 70_000))).toBe("taken");
  });

  test("may always send one body, however large", () => {
    arriveWhole("b", 30 * MEGABYTE);
    const only = arrive("a", 20 * MEGABYTE);
    expect(readRefusal(() => only.arrive(10 * MEGABYTE))).toBe("taken");
    expect(readRefusal(() => arrive("a", 70_000))).toBe("too_many_parallel_requests");
  });

  test("is told its share and what it holds of it", () => {
    arriveWhole("b", 20 * MEGABYTE);
    arriveWhole("a", 12 * MEGABYTE);
    try {
      arrive("a", 5 * MEGABYTE);
      expect.unreachable();
    } catch (thrown) {
      const limit = { scope: "account", name: "a", kind: "body_memory", limit: MEMORY / 4 };
      expect(thrown).toMatchObject({ details: { limit: { ...limit, used: 12 * MEGABYTE } } });
    }
  });
});

describe("a full memory", () => {
  test("takes the room from the body that holds most for its speed, before anybody is refused", () => {
    for (const owner of ["a", "b", "c"]) arriveWhole(owner, 16 * MEGABYTE);
    const stalled = arrive("stalled", 8 * MEGABYTE);
    clock.atMs += 8000;
    const running = arrive("running", 4 * MEGABYTE);
    const begun = arrive("begun", 4 * MEGABYTE);
    stalled.arrive(0);
    expect(readRefusal(() => running.arrive(5000))).toBe("taken");
    expect(ended).toEqual(["stalled request_timeout"]);
    expect([stalled.bytes, running.bytes, begun.bytes]).toEqual([0, 4_005_000, 4 * MEGABYTE]);
  });

  test("ends the arriving body itself if that is the one", () => {
    for (const owner of ["a", "b", "c"]) arriveWhole(owner, 16 * MEGABYTE);
    const slow = arrive("slow", 8 * MEGABYTE);
    clock.atMs += 20_000;
    const fast = arrive("fast", 8 * MEGABYTE);
    expect(readRefusal(() => slow.arrive(1))).toBe("request_timeout");
    slow.release();
    expect([ended, fast.bytes]).toEqual([[], 8 * MEGABYTE]);
  });

  test("of bodies that have arrived refuses others, and ends none in vain", () => {
    for (const owner of ["a", "b", "c"]) arriveWhole(owner, 16 * MEGABYTE);
    arriveWhole("d", 15 * MEGABYTE);
    const begun = arrive("begun", 500_000);
    expect(readRefusal(() => arrive("e", 2 * MEGABYTE))).toBe("overloaded");
    expect([ended, begun.bytes]).toEqual([[], 500_000]);
  });
});

describe("small bodies", () => {
  const OWNERS = ["a", "b", "c", "d", "e"] as const;

  function fill(take: (owner: string) => HeldBody): readonly HeldBody[] {
    const held: HeldBody[] = [];
    const isFull = () => memory.bytes.small + SMALL_BYTES > MEMORY / 4;
    for (const owner of OWNERS) {
      while (!isFull() && readRefusal(() => held.push(take(owner))) === "taken") clock.atMs += 1;
    }
    return held;
  }

  test("pass while the memory for large ones is full", () => {
    for (const owner of ["a", "b", "c", "d"]) arriveWhole(owner, 16 * MEGABYTE);
    expect(readRefusal(() => expectBody("f", 200))).toBe("taken");
    expect(memory.bytes.small).toBe(200);
  });

  test("that never arrive make room for others, the oldest first", () => {
    fill((owner) => expectBody(owner, SMALL_BYTES));
    expect(readRefusal(() => expectBody("honest", SMALL_BYTES))).toBe("taken");
    expect(ended).toEqual(["a request_timeout"]);
  });

  test("that have arrived don't, and an account holds only its share of a busy budget", () => {
    const held = fill((owner) => {
      const one = expectBody(owner, SMALL_BYTES);
      one.finish();
      return one;
    });
    expect(readRefusal(() => expectBody("honest", SMALL_BYTES))).toBe("overloaded");
    const ofFirst = held.reduce((sum, { bytes }, at) => (at < held.length / 2 ? sum + bytes : sum), 0);
    expect(ofFirst).toBeLessThanOrEqual(MEMORY / 8);
    for (const one of held) one.release();
    expect(memory.bytes).toEqual(NOTHING);
  });

  test("always fit once, however little memory is configured", () => {
    memory = new BodyMemory(1000, clock);
    expect(readRefusal(() => expectBody("a", SMALL_BYTES))).toBe("taken");
  });
});

describe("any sequence of bodies", () => {
  const SEEDS = 40;
  const STEPS = 2000;

  test("leaves sums that are never negative, never beyond the memory, and zero at the end", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const dice = new Dice(seed);
      memory = new BodyMemory(2 * MEGABYTE, clock);
      const open: HeldBody[] = [];
      for (let step = 0; step < STEPS; step++) {
        clock.atMs += dice.int(0, 500);
        takeStep(dice, open);
        const { small, large } = memory.bytes;
        const sum = open.reduce((bytes, one) => bytes + one.bytes, 0);
        expect([seed, step, small + large]).toEqual([seed, step, sum]);
        expect(Math.min(small, large)).toBeGreaterThanOrEqual(0);
        expect([small <= MEGABYTE / 2, large <= 2 * MEGABYTE]).toEqual([true, true]);
      }
      for (const one of open) one.release();
      expect(memory.bytes).toEqual(NOTHING);
    }
    expect(ended.length).toBeGreaterThan(SEEDS);
  });

  /** Released bodies stay in the list, because late pieces and second releases must not count. */
  function takeStep(dice: Dice, open: HeldBody[]): void {
    const begin = () => {
      const held = memory.open();
      open.push(held);
      if (open.length > 60) open.shift()?.release();
      const declaredBytes = dice.pick([null, dice.int(0, SMALL_BYTES), dice.int(SMALL_BYTES, MEGABYTE)]);
      held.expect({
        owner: dice.pick(["a", "b", "c", "d", "e"]),
        declaredBytes,
        onEnded: () => ended.push("one"),
      });
    };
    const action = dice.weighted({ begin: 3, arrive: 10, finish: 1, release: 1 });
    if (open.length === 0 || action === "begin") return void readRefusal(begin);
    const held = dice.pick(open);
    if (action === "arrive") readRefusal(() => held.arrive(dice.int(1, 100_000)));
    else if (action === "finish") held.finish();
    else held.release();
  }
});
