// The memory of answers that are collected to be kept: one that finds no room passes without being kept.
import { expect, test } from "bun:test";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import { AnswerCollector } from "../../../src/operations/collected.ts";
import { SPEECH } from "../../../src/operations/speech/operation.ts";
import { CollectedMemory } from "../../../src/steps/cache/collected-memory.ts";
import { Keeper } from "../../../src/steps/cache/keeper.ts";
import { makeRecord } from "../../harness/samples.ts";

const PART_BYTES = 1000;
const PART = {
  kind: "part" as const,
  part: { sound: new Uint8Array(PART_BYTES).fill(1), type: "audio/wav" },
};
const END = {
  fault: null,
  isStored: true,
  usage: { amounts: NO_AMOUNTS },
  finishes: [],
  record: makeRecord("one", { ended: "done" }),
};

/** Returns a collector, and the bytes that it has kept at its end, or null. */
function collect(memory: CollectedMemory) {
  let bytes: number | null = null;
  const keep = async (answer: { readonly reply: { readonly sound: Uint8Array } } | null) => {
    bytes = answer?.reply.sound.length ?? null;
  };
  const shown = new AnswerCollector(() => SPEECH.fold());
  const keeper = new Keeper({ operation: SPEECH, shown, memory, isNative: false, texts: null, keep });
  const end = async () => {
    await keeper.over(END);
    return bytes;
  };
  return { pass: () => keeper.pass([PART]), end };
}

test("answers share it until they end, and all of them pass", async () => {
  const memory = new CollectedMemory(3 * PART_BYTES);
  const one = collect(memory);
  const other = collect(memory);
  expect([one.pass(), one.pass(), other.pass(), other.pass()]).toEqual([[PART], [PART], [PART], [PART]]);
  // The memory of the one that gave up is free at once.
  expect(one.pass()).toEqual([PART]);
  expect([await one.end(), await other.end()]).toEqual([3 * PART_BYTES, null]);
  const later = collect(memory);
  for (let times = 0; times < 3; times++) later.pass();
  expect(await later.end()).toBe(3 * PART_BYTES);
});
