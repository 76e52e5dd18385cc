// The vendors' SDKs with batches: files, lines on several dialects, results, cancelling, deleting.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { toFile } from "openai";
import { catchThrown } from "../../harness/thrown.ts";
import {
  type BatchBench,
  chatLine,
  createBatch,
  type OpenStore,
  readLines,
  startBatches,
  until,
  waitForEnd,
} from "./batch-bench.ts";

let bench: BatchBench;

function answerLines(): void {
  test("OpenAI's SDK uploads a file, has its lines answered by several providers, and reads both results", async () => {
    const { openai, under } = bench;
    const lines = [
      chatLine("a", "say: one"),
      "",
      chatLine("b", "say: two", "Anthropic#claude-haiku-4-5"),
      chatLine("c", "say: three", "Google#gemini-2.5-flash"),
      chatLine("d", "say: four", "Local#no~trouble=400"),
    ];
    const made = await createBatch(openai, lines, { headers: { "x-poundkey-tags": "team=night" } });
    expect(made).toMatchObject({
      object: "batch",
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      errors: null,
    });
    const ended = await waitForEnd(openai, made);
    expect(ended).toMatchObject({
      status: "completed",
      request_counts: { total: 4, completed: 3, failed: 1 },
    });
    const output = await readLines(openai, ended.output_file_id);
    expect(
      output.map(({ custom_id, response }) => [custom_id, response?.body.choices?.[0]?.message.content]),
    ).toEqual([
      ["a", "one"],
      ["b", "two"],
      ["c", "three"],
    ]);
    const [failed, ...others] = await readLines(openai, ended.error_file_id);
    expect(others).toEqual([]);
    expect([failed?.custom_id, failed?.response?.status_code, failed?.error]).toEqual(["d", 400, null]);
    // Its rows are those of requests, found by the batch.
    const headers = { authorization: `Bearer ${under.adminToken}` };
    const find = async (query: string) => {
      const rows = await fetch(`${under.url}/admin/v1/${query}`, { headers });
      return (await rows.json()) as {
        data: { batch_line: number; custom_id: string; tags: unknown; requests?: number }[];
      };
    };
    const { data } = await find(`requests?batch=${made.id}`);
    expect((await find(`requests?batch_id=${made.id}`)).data).toEqual(data);
    expect((await find("requests?batch_id=batch_gone")).data).toEqual([]);
    expect((await find(`usage?batch_id=${made.id}`)).data[0]?.requests).toBe(4);
    expect(data.map(({ batch_line, custom_id }) => `${batch_line} ${custom_id}`).sort()).toEqual([
      "1 a",
      "2 b",
      "3 c",
      "4 d",
    ]);
    expect(data[0]?.tags).toEqual({ team: "night" });
    const listed = await openai.batches.list({ limit: 1 });
    expect(listed.data.map(({ id }) => id)).toEqual([made.id]);
  });
}

function refuseMistakes(): void {
  test("a file with mistakes fails as a whole, with each mistake's line", async () => {
    const { openai } = bench;
    const twin = chatLine("a", "say: one");
    const other = { ...chatLine("b", "x"), url: "/v1/embeddings" };
    const streamed = chatLine("c", "x", undefined, { stream: true });
    const made = await createBatch(openai, [twin, "{", twin, other, streamed]);
    const ended = await waitForEnd(openai, made);
    expect(ended.status).toBe("failed");
    expect(ended.errors?.data?.map(({ code, line }) => [code, line])).toEqual([
      ["invalid_json_line", 2],
      ["duplicate_custom_id", 3],
      ["invalid_url", 4],
      ["unsupported_parameter", 5],
    ]);
    expect(ended).toMatchObject({ output_file_id: null, error_file_id: null, request_counts: { total: 0 } });
    const array = await waitForEnd(openai, await createBatch(openai, ["[", twin, ",", other, "]"]));
    expect(array.errors?.data).toMatchObject([
      { line: null, message: expect.stringContaining("JSON array") },
    ]);
    const untyped = fetch(`${bench.under.url}/v1/batches`, {
      method: "POST",
      headers: { authorization: `Bearer ${bench.under.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ input_file_id: 5, endpoint: "/v1/chat/completions", completion_window: "24h" }),
    });
    expect(await (await untyped).json()).toMatchObject({
      error: { code: "invalid_type", param: "input_file_id" },
    });
    expect((await waitForEnd(openai, await createBatch(openai, ["", " "]))).errors?.data?.[0]?.code).toBe(
      "empty_file",
    );
  });
}

function cancelAndRepeat(): void {
  test("a cancelled batch ends soon with what was answered, and one made twice with one key is one", async () => {
    const { openai } = bench;
    const lines = [
      chatLine("a", "say: one"),
      ...["b", "c"].map((id) => chatLine(id, "x", "Local#slow~latency=60000")),
    ];
    const made = await createBatch(openai, lines);
    await until(
      () => openai.batches.retrieve(made.id),
      ({ request_counts }) => request_counts?.completed === 1,
    );
    expect(await catchThrown(openai.files.delete(made.input_file_id))).toMatchObject({ status: 409 });
    expect((await openai.batches.cancel(made.id)).status).toBe("cancelling");
    const ended = await waitForEnd(openai, made);
    expect(ended).toMatchObject({
      status: "cancelled",
      request_counts: { total: 3, completed: 1, failed: 2 },
    });
    const unanswered = await readLines(openai, ended.error_file_id);
    expect(unanswered.map(({ custom_id, response, error }) => [custom_id, response, error?.code])).toEqual([
      ["b", null, "batch_cancelled"],
      ["c", null, "batch_cancelled"],
    ]);
    expect(await catchThrown(openai.batches.cancel(made.id))).toMatchObject({
      status: 400,
      code: "batch_ended",
    });
    const file = await openai.files.create({
      file: await toFile(Buffer.from(JSON.stringify(chatLine("a", "say: hi"))), "in.jsonl"),
      purpose: "batch",
    });
    const asked = {
      input_file_id: file.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    } as const;
    const once = { headers: { "Idempotency-Key": "once" } };
    const [first, second] = [
      await openai.batches.create(asked, once),
      await openai.batches.create(asked, once),
    ];
    expect(second.id).toBe(first.id);
    const other = { ...asked, metadata: { a: "b" } };
    expect(await catchThrown(openai.batches.create(other, once))).toMatchObject({
      code: "idempotency_mismatch",
    });
    await waitForEnd(openai, first);
  });
}

function cancelMessages(): void {
  test("messages that are cancelled as soon as they are made are all in the counts and the results", async () => {
    const { batches } = bench.anthropic.messages;
    const params = {
      model: "Local#slow~latency=60000",
      max_tokens: 9,
      messages: [{ role: "user" as const, content: "x" }],
    };
    const made = await batches.create({ requests: ["a", "b"].map((custom_id) => ({ custom_id, params })) });
    expect(await batches.cancel(made.id)).toMatchObject({
      processing_status: "canceling",
      request_counts: { processing: 2, canceled: 0 },
    });
    const ended = await until(
      () => batches.retrieve(made.id),
      ({ processing_status }) => processing_status === "ended",
    );
    expect(ended.request_counts).toMatchObject({ processing: 0, errored: 0, canceled: 2 });
    const results = await Array.fromAsync(await batches.results(made.id));
    expect(results.map(({ custom_id, result }) => [custom_id, result.type])).toEqual([
      ["a", "canceled"],
      ["b", "canceled"],
    ]);
    await batches.delete(made.id);
  });
}

function answerMessages(): void {
  test("Anthropic's SDK makes a batch, reads its results as they come, and deletes it", async () => {
    const { anthropic, openai } = bench;
    const ask = (custom_id: string, text: string, model: string, more: object = {}) => ({
      custom_id,
      params: { model, max_tokens: 100, messages: [{ role: "user" as const, content: text }], ...more },
    });
    const made = await anthropic.messages.batches.create({
      requests: [
        ask("one", "say: one", "Anthropic#claude-haiku-4-5"),
        ask("two", "say: two", "Local#sim-mini"),
        ask("bad", "x", "none"),
        ask("streamed", "x", "Local#sim-mini", { stream: true }),
      ],
    });
    expect(made).toMatchObject({
      type: "message_batch",
      processing_status: "in_progress",
      request_counts: { processing: 4 },
      results_url: null,
    });
    expect(await catchThrown(anthropic.messages.batches.delete(made.id))).toMatchObject({ status: 400 });
    const ended = await until(
      () => anthropic.messages.batches.retrieve(made.id),
      ({ processing_status }) => processing_status === "ended",
    );
    expect(ended.request_counts).toEqual({
      processing: 0,
      succeeded: 2,
      errored: 2,
      canceled: 0,
      expired: 0,
    });
    const results = new Map<string, string>();
    for await (const { custom_id, result } of await anthropic.messages.batches.results(made.id)) {
      const [block] = result.type === "succeeded" ? result.message.content : [];
      const error = result.type === "errored" ? result.error.error.type : "";
      results.set(custom_id, block?.type === "text" ? block.text : error);
    }
    expect(Object.fromEntries(results)).toEqual({
      one: "one",
      two: "two",
      bad: "not_found_error",
      streamed: "invalid_request_error",
    });
    expect(await catchThrown(openai.batches.retrieve(made.id))).toMatchObject({ status: 404 });
    expect(await anthropic.messages.batches.delete(made.id)).toMatchObject({
      id: made.id,
      type: "message_batch_deleted",
    });
    expect(await catchThrown(anthropic.messages.batches.retrieve(made.id))).toMatchObject({ status: 404 });
  });
}

function refuseLists(): void {
  test("a list of messages that isn't one is refused at once, and leaves nothing", async () => {
    const { anthropic, under } = bench;
    const params = {
      model: "Local#sim-mini",
      max_tokens: 9,
      messages: [{ role: "user" as const, content: "x" }],
    };
    const refuse = (requests: readonly object[]) => anthropic.messages.batches.create({ requests } as never);
    expect(await catchThrown(refuse([]))).toMatchObject({ status: 400 });
    expect(await catchThrown(refuse([{ custom_id: "a b", params }]))).toMatchObject({ status: 400 });
    expect(
      await catchThrown(
        refuse([
          { custom_id: "a", params },
          { custom_id: "a", params },
        ]),
      ),
    ).toMatchObject({ status: 400 });
    const own = { authorization: `Bearer ${under.secret}`, "anthropic-version": "2023-06-01" };
    const path = `${under.url}/v1/messages/batches`;
    expect((await fetch(path, { method: "POST", headers: own, body: "{}" })).status).toBe(415);
    const headers = { ...own, "content-type": "application/json" };
    for (const body of [
      "",
      "[]",
      '{"requests":[{}',
      '{"requests":{}}',
      '{"requests":[1]}',
      '{"requests":[{}]}x',
    ]) {
      const answer = await fetch(path, { method: "POST", headers, body });
      expect([body, answer.status]).toEqual([body, 400]);
      expect(await answer.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    }
    const before = (await anthropic.messages.batches.list()).data;
    expect(before).toEqual([]);
  });
}

/** `open` returns the store. */
export function testClients(open: OpenStore): void {
  beforeAll(async () => {
    bench = await startBatches(await open());
  });
  afterAll(() => bench.under.stop());
  for (const add of [
    answerLines,
    refuseMistakes,
    cancelAndRepeat,
    cancelMessages,
    answerMessages,
    refuseLists,
  ])
    add();
}
