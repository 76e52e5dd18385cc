// The lengths of answers by which a batch's cost is expected.
import { describe, expect, test } from "bun:test";
import type { Batch } from "../../src/core/batches/batch.ts";
import type { RequestRecord } from "../../src/core/log/record.ts";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import { findUsualOutput, readMeanOutputs } from "../../src/jobs/outputs.ts";
import { validate } from "../../src/jobs/validating.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { DAY, makeRecord, NOON, openMemoryStore, writeRecord } from "../harness/samples.ts";
import { addBatch, MemoryFiles, makeJobPorts } from "./job-world.ts";

const MODEL = "OpenAI#gpt-4.1-mini";

async function openWorld() {
  const store = await openMemoryStore();
  const write = async (
    count: number,
    name: string,
    completion: number,
    more: Partial<RequestRecord> = {},
  ) => {
    for (let at = 0; at < count; at++) {
      const amounts = { ...makeRecord("").amounts, completion };
      await writeRecord(
        store,
        makeRecord(`${name}-${at}`, { modelUsed: MODEL, amounts, atMs: NOON, ...more }),
      );
    }
  };
  const read = () =>
    readMeanOutputs(store, { accountId: "default", surface: "openai-chat", nowMs: NOON + DAY });
  return { write, read };
}

describe("an account's own lengths", () => {
  test("count from 20 answers on", async () => {
    const { write, read } = await openWorld();
    await write(19, "first", 100);
    expect(await read()).toEqual(new Map());
    await write(1, "last", 300);
    expect(await read()).toEqual(new Map([[MODEL, 110]]));
  });

  test("are those of answers at the same endpoint, within 30 days, that aren't from the cache", async () => {
    const { write, read } = await openWorld();
    await write(20, "own", 100);
    await write(5, "old", 9000, { atMs: NOON - 31 * DAY });
    await write(5, "other", 9000, { surface: "anthropic-messages" });
    await write(5, "failed", 9000, { status: 502, faultCode: "upstream_error" });
    await write(5, "repeated", 0, { cachedFrom: "own-0" });
    expect(await read()).toEqual(new Map([[MODEL, 100]]));
  });

  test("are asked for once for all lines of a batch", async () => {
    const world = { store: await openMemoryStore(), clock: new ManualClock(), files: new MemoryFiles() };
    const asked: string[] = [];
    const means = new Map([[MODEL, 50]]);
    const given = new Set<unknown>();
    const ports = makeJobPorts(world, {
      call: () => new Promise(() => {}),
      readOutputs: async ({ id }: Batch) => {
        asked.push(id);
        return means;
      },
      estimate: async (_line, outputs) => {
        given.add(outputs);
        return { expectedNanoUsd: 2, worstNanoUsd: 3 };
      },
    });
    const batch = await addBatch(new KeptBatches(ports, () => {}), world, "batch_1", 300);
    expect(await validate(ports, batch)).toBe(true);
    expect([asked, [...given]]).toEqual([["batch_1"], [means]]);
    const found = await world.store.batches.find("batch_1");
    expect(found?.detail).toMatchObject({ estimatedNanoUsd: 600, worstNanoUsd: 900 });
  });
});

test("without such answers, lengths are those usual for the operation and the prompt, else 300 tokens", () => {
  const usual = [50, 500, 5000, 50_000].map((tokens) => findUsualOutput("chat", tokens));
  expect(usual).toEqual([154, 117, 219, 1069]);
  expect([findUsualOutput("completion", 90), findUsualOutput("completion", 900)]).toEqual([86, 300]);
});
