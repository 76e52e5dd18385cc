// A process admits requests only while it beats, and syncs its log once it is quiet.
import { describe, expect, test } from "bun:test";
import { Heart } from "../../src/store/engine/heart.ts";
import { QuietSync } from "../../src/store/sqlite/durability.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { catchThrown } from "../harness/thrown.ts";

/** Counts beats, which fail while `isAway`. */
function startHeart(aliveMs: number) {
  const seen = { beats: 0, admitted: 0, isAway: false, oldestSupported: 1 };
  const beat = async () => {
    seen.beats++;
    if (seen.isAway) throw new Error("away");
    return { oldestSupported: seen.oldestSupported, olderNodes: [] };
  };
  const heart = new Heart({ version: 1, beat, aliveMs });
  const admit = () => heart.admit(async () => void seen.admitted++);
  return { heart, seen, admit };
}

describe("a process that was silent for too long", () => {
  test("beats before it admits a request, and shares that beat", async () => {
    const { seen, admit } = startHeart(0);
    await Promise.all([admit(), admit(), admit()]);
    expect(seen).toMatchObject({ beats: 1, admitted: 3 });
  });

  test("admits nothing while it can't beat, and again once it can", async () => {
    const { seen, admit } = startHeart(0);
    seen.isAway = true;
    expect(String(await catchThrown(admit()))).toContain("away");
    expect(seen.admitted).toBe(0);
    seen.isAway = false;
    await admit();
    expect(seen.admitted).toBe(1);
  });
});

test("a process that beats admits without another beat", async () => {
  const { heart, seen, admit } = startHeart(60_000);
  await heart.beat();
  await admit();
  expect(seen).toMatchObject({ beats: 1, admitted: 1 });
});

test("a process that learns that it is too old admits nothing", async () => {
  const { heart, seen, admit } = startHeart(60_000);
  seen.oldestSupported = 2;
  expect(await heart.beat()).toMatchObject({ unsupported: expect.stringContaining("too old") });
  expect(await catchThrown(admit())).toMatchObject({ code: "store_unavailable" });
  expect(seen.admitted).toBe(0);
});

test("the log is synced once after the last of several transactions", async () => {
  let syncs = 0;
  let notes = 0;
  let syncedAfter = 0;
  const clock = new ManualClock();
  const quiet = new QuietSync(async () => {
    syncs++;
    syncedAfter = notes;
  }, clock);
  const write = () => {
    notes++;
    quiet.note();
  };
  write();
  await clock.move(600);
  write();
  await clock.move(999);
  expect(syncs).toBe(0);
  await clock.move(3000);
  expect({ syncs, syncedAfter }).toEqual({ syncs: 1, syncedAfter: 2 });
});
