// Lines that wait for a model that is down, in a whole gateway: the others of the file go on, and the log has no row of a wait.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import {
  type BatchBench,
  chatLine,
  createBatch,
  PLAIN,
  startBatches,
  until,
  waitForEnd,
} from "./batch-bench.ts";

const DOWN = "Local#sim-mini~500";
const PARALLEL = 8;

let bench: BatchBench;
beforeAll(async () => {
  bench = await startBatches({ more: `batches: { parallel: ${PARALLEL} }` });
});
afterAll(() => bench.under.stop());

async function admin(path: string) {
  const headers = { authorization: `Bearer ${bench.under.adminToken}` };
  return asObject(await (await fetch(`${bench.under.url}/admin/v1${path}`, { headers })).json());
}

test("a dead model holds no other line of its batch, is told, and its lines write no rows while they wait", async () => {
  const lines = Array.from({ length: 400 }, (_, at) =>
    chatLine(`line-${at}`, `say: ${at}`, at < 300 ? DOWN : PLAIN),
  );
  const made = await createBatch(bench.openai, lines);
  const told = await until(
    () => admin(`/batches/${made.id}`),
    ({ waiting }) => waiting !== null,
  );
  expect(told).toMatchObject({
    status: "in_progress",
    waiting: { code: "no_provider_available", models: [DOWN] },
    counts: { completed: 100 },
  });
  const { waiting } = asObject(await bench.openai.batches.retrieve(made.id));
  const own = asObject(waiting);
  expect([own.models, Date.parse(String(own.until)) - Date.parse(String(own.since)) > 5 * 3_600_000]).toEqual(
    [[DOWN], true],
  );
  const rows = asArray((await admin(`/requests?batch=${made.id}&limit=1000`)).data).map(asObject);
  // Lines that had been admitted when the breaker opened met it.
  const unsent = rows.filter(({ attempts }) => attempts === 0);
  expect(unsent.length).toBeLessThanOrEqual(PARALLEL);
  expect(rows.length).toBeLessThanOrEqual(100 + 6 * PARALLEL);
  await bench.openai.batches.cancel(made.id);
  expect(await waitForEnd(bench.openai, made)).toMatchObject({ status: "cancelled" });
});
