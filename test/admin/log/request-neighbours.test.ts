// The requests next to one: among many in one moment, after long silence, and within what a viewer sees.
import { beforeEach, expect, test } from "bun:test";
import { findNeighbours } from "../../../src/admin/log/request-neighbours.ts";
import type { Scope } from "../../../src/core/people/people.ts";
import { HOUR, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { adminBench, type TestWorld, wrongWith } from "../admin-world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

/** Ids that sort as the numbers do. */
const nameOf = (number: number) => `request-${String(number).padStart(4, "0")}`;

async function fill(times: readonly number[]): Promise<void> {
  for (const [number, atMs] of times.entries())
    await writeRecord(world.store, makeRecord(nameOf(number), { atMs }));
}

/** Goes from the first request to the last by the newer ones, and back. */
async function walk(first: string, way: "newer" | "older"): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let id: string | null = first; id !== null; id = (await findNeighbours(world, id))[way]) seen.push(id);
  return seen;
}

test("every request leads to the next one, both ways", async () => {
  // One alone, 60 within a fifth of a second after a silence of days, 20 an hour each, and two at once.
  const crowd = Array.from({ length: 60 }, (_, at) => NOON - 90 * HOUR + at * 3);
  const hourly = Array.from({ length: 20 }, (_, at) => NOON - 80 * HOUR + at * HOUR);
  await fill([NOON - 900 * HOUR, ...crowd, ...hourly, NOON, NOON]);
  const all = Array.from({ length: 83 }, (_, at) => nameOf(at));
  expect(await walk(nameOf(0), "newer")).toEqual(all);
  expect(await walk(nameOf(82), "older")).toEqual(all.toReversed());
});

test("what a viewer doesn't see is passed over, and isn't found", async () => {
  const ownerOf = ["default", "team", "team", "default"];
  for (const [number, accountId] of ownerOf.entries())
    await writeRecord(
      world.store,
      makeRecord(nameOf(number), { atMs: NOON - HOUR * (4 - number), accountId }),
    );
  const scope: Scope = { accountIds: ["default"], personal: null };
  expect(await findNeighbours(world, nameOf(0), scope)).toEqual({ newer: nameOf(3), older: null });
  expect(await findNeighbours(world, nameOf(3), scope)).toEqual({ newer: null, older: nameOf(0) });
  expect(await wrongWith(() => findNeighbours(world, nameOf(1), scope))).toContain("not_found");
});
