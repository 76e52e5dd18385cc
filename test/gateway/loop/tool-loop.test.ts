// The loop of a response with tools, without a gateway: how often it asks, how many calls it makes at once, and what ends it.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import { ToolLoop } from "../../../src/gateway/loop/tool-loop.ts";

interface Scene {
  readonly roundsMax?: number;
  readonly callsMax?: number;
  /** The calls of each answer of the model. */
  readonly turns: readonly (readonly number[])[];
}

function makeScene({ roundsMax = 10, callsMax = 20, turns }: Scene) {
  const ending = new Ending();
  const seen = { asked: [] as boolean[], ran: [] as number[], refused: [] as number[], most: 0 };
  let atOnce = 0;
  const loop = new ToolLoop<number>({
    bounds: { roundsMax, callsMax },
    ending,
    ask: async (mayCall) => {
      seen.asked.push(mayCall);
      return { calls: turns[seen.asked.length - 1] ?? [], isLast: false };
    },
    run: async (call) => {
      atOnce++;
      seen.most = Math.max(seen.most, atOnce);
      await Promise.resolve();
      atOnce--;
      seen.ran.push(call);
      if (call === 99) ending.end(new Fault("client_timeout", "Too late."));
    },
    refuse: (call) => void seen.refused.push(call),
  });
  return { loop, seen };
}

test("a model that calls nothing is asked once", async () => {
  const { loop, seen } = makeScene({ turns: [[]] });
  expect(await loop.run()).toBeNull();
  expect(seen.asked).toEqual([true]);
});

test("no more than four calls run at once", async () => {
  const { loop, seen } = makeScene({ turns: [[1, 2, 3, 4, 5, 6, 7, 8, 9], []] });
  await loop.run();
  expect(seen.ran.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(seen.most).toBe(4);
});

test("the last question is one without tools, and its calls are refused", async () => {
  const { loop, seen } = makeScene({ roundsMax: 2, turns: [[1], [2]] });
  expect(await loop.run()).toBeNull();
  expect(seen).toMatchObject({ asked: [true, false], ran: [1], refused: [2] });
});

test("without calls left, the model is asked once more without tools", async () => {
  const { loop, seen } = makeScene({ callsMax: 2, turns: [[1], [2, 3], []] });
  await loop.run();
  expect(seen).toMatchObject({ asked: [true, true, false], ran: [1, 2], refused: [3] });
  const none = makeScene({ callsMax: 0, turns: [[]] });
  await none.loop.run();
  expect(none.seen.asked).toEqual([false]);
});

test("a model that calls although it was asked without tools isn't asked again", async () => {
  const { loop, seen } = makeScene({ callsMax: 1, turns: [[1], [2], [3], [4]] });
  expect(await loop.run()).toBeNull();
  expect(seen).toMatchObject({ asked: [true, false], ran: [1], refused: [2] });
});

test("what ends it during a call ends it before the next question", async () => {
  const { loop, seen } = makeScene({ turns: [[99], []] });
  const end = await loop.run();
  expect(end?.kind === "fault" && end.fault.code).toBe("client_timeout");
  expect(seen.asked).toEqual([true]);
});
