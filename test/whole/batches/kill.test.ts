// A gateway that is killed in the middle of a batch: the next one answers what is left, and each line is charged once.
import { afterAll, expect, test } from "bun:test";
import { providersYaml } from "../../harness/harness.ts";
import { newPlace, startServe } from "../../harness/serve-process.ts";
import { startSimulator } from "../../simulator/server.ts";
import { chatLine, createBatch, makeClients, readLines, until, waitForEnd } from "./batch-bench.ts";

const TOKEN = "admin-token-of-the-tests";
const LINES = 20;
const PARALLEL = 4;

const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
const place = newPlace(
  [
    `server: { host: 127.0.0.1, port: 0, admin_token: "${TOKEN}" }`,
    "store: sqlite:poundkey.db",
    `batches: { parallel: ${PARALLEL} }`,
    providersYaml(simulator.url),
  ].join("\n"),
);
afterAll(async () => {
  await simulator.stop();
  place.remove();
});

async function askAdmin<Answer>(url: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
  return (await fetch(`${url}/admin/v1${path}`, { ...init, headers })).json() as never;
}

test("kill -9 loses no line, repeats none, and charges each once", async () => {
  const first = startServe(place);
  const url = await first.listens();
  const { secret } = await askAdmin<{ secret: string }>(url, "/keys", { name: "k", requests_per_day: null });
  const lines = Array.from({ length: LINES }, (_, at) =>
    chatLine(`l${at}`, `say: ${at}`, "Local#sim~latency=150"),
  );
  const made = await createBatch(makeClients(url, secret).openai, lines);
  await until(
    () => makeClients(url, secret).openai.batches.retrieve(made.id),
    ({ request_counts }) => (request_counts?.completed ?? 0) >= 3,
  );
  first.signal("SIGKILL");
  await first.exited;
  const second = startServe(place);
  const again = await second.listens();
  const { openai } = makeClients(again, secret);
  const ended = await waitForEnd(openai, made);
  expect(ended).toMatchObject({
    status: "completed",
    request_counts: { total: LINES, completed: LINES, failed: 0 },
  });
  const output = await readLines(openai, ended.output_file_id);
  expect(
    output.map(({ custom_id, response }) => `${custom_id} ${response?.body.choices?.[0]?.message.content}`),
  ).toEqual(Array.from({ length: LINES }, (_, at) => `l${at} ${at}`).sort());
  const { data } = await askAdmin<{ data: { custom_id: string; ended: string }[] }>(
    again,
    `/requests?batch=${made.id}&limit=200`,
  );
  const answered = data.filter((row) => row.ended === "done").map(({ custom_id }) => custom_id);
  expect([answered.length, new Set(answered).size]).toEqual([LINES, LINES]);
  // Only those in flight were asked of the provider again.
  expect(data.length).toBeLessThanOrEqual(LINES + PARALLEL);
  second.signal("SIGTERM");
  expect(await second.exited).toBe(0);
}, 120_000);

interface DoneRow {
  readonly custom_id: string;
  readonly ended: string;
}

async function listDone(url: string, batchId: string): Promise<string[]> {
  const { data } = await askAdmin<{ data: DoneRow[] }>(url, `/requests?batch=${batchId}&limit=200`);
  return data
    .filter(({ ended }) => ended === "done")
    .map(({ custom_id }) => custom_id)
    .sort();
}

test("kill -9 right after a cancel keeps every answer, as it was given", async () => {
  const first = startServe(place);
  const url = await first.listens();
  const { secret } = await askAdmin<{ secret: string }>(url, "/keys", { name: "k", requests_per_day: null });
  const { openai, anthropic } = makeClients(url, secret);
  const model = "Local#sim~latency=150";
  const chats = await createBatch(
    openai,
    Array.from({ length: 2 * LINES }, (_, at) => chatLine(`l${at}`, `say: ${at}`, model)),
  );
  const messages = await anthropic.messages.batches.create({
    requests: Array.from({ length: 2 * LINES }, (_, at) => ({
      custom_id: `m${at}`,
      params: { model, max_tokens: 100, messages: [{ role: "user", content: `say: ${at}` }] },
    })),
  });
  const ids = [chats.id, messages.id];
  await until(
    async () => Promise.all(ids.map((id) => listDone(url, id))),
    (done) => done.every(({ length }) => length >= PARALLEL),
  );
  await Promise.all([openai.batches.cancel(chats.id), anthropic.messages.batches.cancel(messages.id)]);
  first.signal("SIGKILL");
  await first.exited;
  const second = startServe(place);
  const again = await second.listens();
  const clients = makeClients(again, secret);
  const ended = await waitForEnd(clients.openai, chats);
  const output = await readLines(clients.openai, ended.output_file_id);
  expect([ended.status, output.map(({ custom_id }) => custom_id).sort()]).toEqual([
    "cancelled",
    await listDone(again, chats.id),
  ]);
  for (const { custom_id, response } of output)
    expect(`l${response?.body.choices?.[0]?.message.content}`).toBe(custom_id);
  await until(
    () => clients.anthropic.messages.batches.retrieve(messages.id),
    ({ processing_status }) => processing_status === "ended",
  );
  const succeeded: string[] = [];
  for await (const { custom_id, result } of await clients.anthropic.messages.batches.results(messages.id)) {
    if (result.type !== "succeeded") continue;
    succeeded.push(custom_id);
    expect(result.message.content).toMatchObject([{ type: "text", text: custom_id.slice(1) }]);
  }
  expect(succeeded.sort()).toEqual(await listDone(again, messages.id));
  second.signal("SIGTERM");
  expect(await second.exited).toBe(0);
});
