// Reports of other projects on batches that end badly, each as a rule that holds here.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import {
  type BatchBench,
  chatLine,
  createBatch,
  readLines,
  startBatches,
  until,
  waitForEnd,
} from "./batch-bench.ts";

let bench: BatchBench;
beforeAll(async () => {
  bench = await startBatches({
    more: (simulator) =>
      `  Acme: { dialect: openai, keys: [k], base_url: "${simulator}/openai/v1", models: [{ name: sim-mini, context: 8000, output: 500, price: { input: 1, output: 2 } }] }`,
  });
});
afterAll(() => bench.under.stop());

const NEVER = "Local#slow~latency=600000";

/** A batch of which two lines are answered, and two are being asked for as long as it runs. */
async function startHalf() {
  const lines = [
    chatLine("a", "say: one"),
    chatLine("b", "x", NEVER),
    chatLine("c", "say: three"),
    chatLine("d", "x", NEVER),
  ];
  const made = await createBatch(bench.openai, lines);
  return until(
    () => bench.openai.batches.retrieve(made.id),
    ({ request_counts }) => request_counts?.completed === 2,
  );
}

test("a batch of which every line failed is completed, without an output file (litellm 33987, 34067; kaapi 723)", async () => {
  const { openai } = bench;
  const lines = ["a", "b"].map((id) => chatLine(id, "x", "Local#no~trouble=400"));
  const ended = await waitForEnd(openai, await createBatch(openai, lines));
  expect(ended).toMatchObject({
    status: "completed",
    output_file_id: null,
    errors: null,
    request_counts: { total: 2, completed: 0, failed: 2 },
  });
  const failed = await readLines(openai, ended.error_file_id);
  expect(failed.map(({ custom_id, response, error }) => [custom_id, response?.status_code, error])).toEqual([
    ["a", 400, null],
    ["b", 400, null],
  ]);
  for (const { response } of failed)
    expect(asObject(response?.body.error)).toMatchObject({ message: expect.any(String) });
});

test("a line that names no model, or none that exists, is its own error, and others go on (local-ai-toolkit 335)", async () => {
  const { openai } = bench;
  const nameless = { ...chatLine("nameless", "x"), body: { messages: [{ role: "user", content: "x" }] } };
  const lines = [
    nameless,
    chatLine("unknown", "x", "Acme#nothing"),
    chatLine("good", "say: hi", "Acme#sim-mini"),
  ];
  const ended = await waitForEnd(openai, await createBatch(openai, lines));
  expect(ended).toMatchObject({ status: "completed", request_counts: { total: 3, completed: 1, failed: 2 } });
  const failed = await readLines(openai, ended.error_file_id);
  expect(failed.map(({ custom_id, response }) => [custom_id, response?.status_code])).toEqual([
    ["nameless", 400],
    ["unknown", 404],
  ]);
});

test("a batch that is cancelled twice at once keeps what was answered, and each line once (llm-d 121)", async () => {
  const { openai } = bench;
  const { id } = await startHalf();
  const answers = await Promise.allSettled([openai.batches.cancel(id), openai.batches.cancel(id)]);
  for (const answer of answers)
    if (answer.status === "rejected")
      expect(answer.reason).toMatchObject({ status: 400, code: "batch_ended" });
  const ended = await waitForEnd(openai, { id });
  expect(ended).toMatchObject({ status: "cancelled", request_counts: { total: 4, completed: 2, failed: 2 } });
  const output = await readLines(openai, ended.output_file_id);
  const errors = await readLines(openai, ended.error_file_id);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(["a", "c"]);
  expect(errors.map(({ custom_id, error }) => [custom_id, error?.code])).toEqual([
    ["b", "batch_cancelled"],
    ["d", "batch_cancelled"],
  ]);
});

const ask = (custom_id: string, text: string, model = "Local#sim-mini") => ({
  custom_id,
  params: { model, max_tokens: 50, messages: [{ role: "user" as const, content: text }] },
});

async function readResults(id: string): Promise<Readonly<Record<string, string>>> {
  const found: [string, string][] = [];
  for await (const { custom_id, result } of await bench.anthropic.messages.batches.results(id))
    found.push([custom_id, result.type]);
  return Object.fromEntries(found.toSorted(([one], [other]) => one.localeCompare(other)));
}

test("answered messages of a cancelled batch are results that succeeded (stdapi 60)", async () => {
  const { batches } = bench.anthropic.messages;
  const { id } = await batches.create({
    requests: [ask("a", "say: one"), ask("b", "x", NEVER), ask("c", "say: three"), ask("d", "x", NEVER)],
  });
  // The counts of a batch that runs say nothing: only its rows do.
  const headers = { authorization: `Bearer ${bench.under.adminToken}` };
  const readCounts = async () =>
    asObject(
      asObject(await (await fetch(`${bench.under.url}/admin/v1/batches/${id}`, { headers })).json()).counts,
    );
  await until(readCounts, ({ completed }) => completed === 2);
  await batches.cancel(id);
  const ended = await until(
    () => batches.retrieve(id),
    ({ processing_status }) => processing_status === "ended",
  );
  expect(ended.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 0, canceled: 2, expired: 0 });
  expect(await readResults(id)).toEqual({ a: "succeeded", b: "canceled", c: "succeeded", d: "canceled" });
});

test("a batch of messages has its results at the gateway's own address, with those that failed (litellm 27944)", async () => {
  const { batches } = bench.anthropic.messages;
  const { id } = await batches.create({
    requests: [ask("a", "say: one"), ask("b", "x", "Acme#nothing"), ask("c", "x", "Local#no~trouble=400")],
  });
  const ended = await until(
    () => batches.retrieve(id),
    ({ processing_status }) => processing_status === "ended",
  );
  expect(ended.results_url).toBe(`${bench.under.url}/v1/messages/batches/${id}/results`);
  expect(await readResults(id)).toEqual({ a: "succeeded", b: "errored", c: "errored" });
});
