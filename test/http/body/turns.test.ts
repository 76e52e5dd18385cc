// The order in which bodies are parsed: an account with costly ones rests while others' requests arrive.
import { expect, test } from "bun:test";
import { BodyTurns } from "../../../src/http/body/body-turns.ts";
import { ManualClock } from "../../harness/manual-clock.ts";

const SMALL = 4000;
const MEDIUM = 40_000;
const LARGE = 400_000;
const COST_MS = 30;

/** Turns whose clock the work itself moves. */
function makeTurns() {
  const clock = new ManualClock();
  let workedMs = 0;
  const monotonicMs = () => clock.monotonicMs() + workedMs;
  const after = (delayMs: number, task: () => void) => clock.after(delayMs, task);
  const turns = new BodyTurns({ monotonicMs, after });
  const parse = (owner: string, bytes: number) =>
    turns.time(
      owner,
      bytes,
      (costMs) => {
        workedMs += costMs;
      },
      COST_MS,
    );
  const arrive = (owner: string) => turns.arrive(owner, monotonicMs());
  return { clock, turns, parse, arrive };
}

/** Returns how many milliseconds pass until it has its turn, while a request of these owners arrives in each. */
async function waitWhile(
  { clock, arrive }: ReturnType<typeof makeTurns>,
  turn: Promise<void> | null,
  arriving: readonly string[],
): Promise<number> {
  let isDone = turn === null;
  void turn?.then(() => {
    isDone = true;
  });
  for (let ms = 0; ms < 2000; ms++) {
    await Promise.resolve();
    if (isDone) return ms;
    for (const owner of arriving) arrive(owner);
    await clock.move(1);
  }
  throw new Error("It never has its turn.");
}

test("an account whose bodies are costly rests while others' requests arrive", async () => {
  const world = makeTurns();
  world.arrive("other");
  world.arrive("costly");
  expect(world.turns.next("costly", MEDIUM)).toBeNull();
  world.parse("costly", MEDIUM);
  const waited = await waitWhile(world, world.turns.next("costly", MEDIUM), ["other", "costly"]);
  expect(waited).toBeGreaterThan(8 * COST_MS);
  expect(waited).toBeLessThan(16 * COST_MS);
});

test("its rest ends soon after the others' last request", async () => {
  const world = makeTurns();
  world.arrive("other");
  for (let body = 0; body < 50; body++) world.parse("costly", MEDIUM);
  world.arrive("other");
  expect(await waitWhile(world, world.turns.next("costly", MEDIUM), ["costly"])).toBeLessThan(30);
});

test("an account whose bodies take the usual time never rests", () => {
  const { turns, arrive } = makeTurns();
  for (let body = 0; body < 20; body++) {
    arrive("other");
    turns.time("usual", LARGE, () => {}, null);
    expect(turns.next("usual", MEDIUM)).toBeNull();
  }
});

test("a single account never rests", () => {
  const world = makeTurns();
  for (let body = 0; body < 20; body++) {
    world.arrive("only");
    expect(world.turns.next("only", MEDIUM)).toBeNull();
    world.parse("only", MEDIUM);
  }
});

test("others' bodies don't wait for an account that rests, and small ones for nobody", async () => {
  const world = makeTurns();
  world.arrive("other");
  for (let body = 0; body < 20; body++) world.parse("costly", LARGE);
  world.arrive("other");
  let isCostlyDone = false;
  void world.turns.wait("costly").then(() => {
    isCostlyDone = true;
  });
  expect(world.turns.next("other", MEDIUM)).toBeNull();
  expect(await waitWhile(world, world.turns.next("other", LARGE), ["other"])).toBeLessThan(3);
  expect(isCostlyDone).toBe(false);
  expect(world.turns.next("costly", SMALL)).toBeNull();
});

test("accounts that wait take turns", async () => {
  const { turns, clock } = makeTurns();
  const order: string[] = [];
  for (const owner of ["a", "a", "a", "b", "c"]) void turns.wait(owner).then(() => order.push(owner));
  for (let turn = 0; turn < 6; turn++) await clock.move(1);
  expect(order).toEqual(["a", "b", "c", "a", "a"]);
});
