// The lines of a block that this node runs: which is next, and that one that is put back runs once.
import { expect, test } from "bun:test";
import { Ending } from "../../src/core/world/ending.ts";
import { openLines } from "../../src/jobs/lines.ts";
import { RunningBlock } from "../../src/jobs/running-block.ts";
import { makeBlock } from "../harness/batches.ts";
import { NOON } from "../harness/samples.ts";

const ANY = () => true;

function startBlock(): RunningBlock {
  const places = ["a", "b", "a"].map((model, at) => ({ from: 0, to: 1, customId: `line-${at}`, model }));
  return new RunningBlock(makeBlock("batch_1", 0, { states: openLines(3), remaining: 3, places }));
}

test("lines start in the order of the file, but for models that may not be asked", () => {
  const block = startBlock();
  expect(block.findNext(NOON, (model) => model !== "a")).toBe(1);
  block.begin(0, new Ending());
  expect(block.findNext(NOON, ANY)).toBe(1);
});

test("a line that is put back comes again in its place, after its wait, and once", () => {
  const block = startBlock();
  block.begin(0, new Ending());
  // The end of a failed try may fail itself.
  block.putBack(0, NOON + 5, true);
  block.putBack(0, NOON + 5, false);
  expect([block.findNext(NOON, ANY), block.findNext(NOON + 5, ANY), block.countTries(0)]).toEqual([1, 0, 1]);
  block.begin(0, new Ending());
  expect(block.findNext(NOON + 9, ANY)).toBe(1);
});
