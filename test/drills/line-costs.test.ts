// The ruler of a batch's line, against the budgets in src/README.md: its own objects and statements, and the transactions and
// syncs that the lines of a batch share.
import { expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import { expectNone } from "../tidy/sources.ts";
import { judgeAndRecord } from "./budgets.ts";
import { countObjects, countShared, countStatements, type Request } from "./costs.ts";
import { type MeasuredGateway, startMeasured } from "./measured-gateway.ts";

/** Two blocks. */
const LINES = 256;
/** Far fewer than lines. There are 4 to 8, by the seconds that the batch takes, each of which writes the results so far. */
const SYNCS_MAX = 14;
const MODEL = "OpenAI#gpt-4o";
/** Each look costs the gateway as much as a request, so it waits longer each time. */
const FIRST_POLL_MS = 250;
const POLL_GROWTH = 1.3;
const ENDED = ["completed", "failed", "expired", "cancelled"];
/** As with requests, one is counted at a time: how many lines share a transaction differs from run to run. */
const ONE_AT_A_TIME = "batches: { parallel: 1 }";
/** Lines at once take far less: 24 transactions and 1.4 statements a line, and on a slow machine those of each second besides. */
const AT_ONCE = { transactionsMax: LINES / 2, statementsMax: 4 };

function writeInput(): string {
  const body = {
    model: MODEL,
    max_tokens: 256,
    messages: [{ role: "user", content: "The words of a line." }],
  };
  const lines = Array.from({ length: LINES }, (_, at) =>
    JSON.stringify({ custom_id: `line-${at}`, method: "POST", url: "/v1/chat/completions", body }),
  );
  return lines.join("\n");
}

async function makeRequest(gateway: MeasuredGateway): Promise<Request> {
  const { secret } = await gateway.admin("/keys", { name: "free", requests_per_day: null });
  const authorization = `Bearer ${secret}`;
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${gateway.url}/v1${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return asObject(await response.json());
  };
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new File([writeInput()], "in.jsonl"));
  const { id } = await ask("/files", { method: "POST", headers: { authorization }, body: form });
  const order = { input_file_id: id, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const headers = { authorization, "content-type": "application/json" };
  return {
    name: "a line of a batch",
    count: 1,
    lines: LINES,
    async send() {
      const batch = await ask("/batches", { method: "POST", headers, body: JSON.stringify(order) });
      let pollMs = FIRST_POLL_MS;
      let found = batch;
      for (; !ENDED.includes(String(found.status)); pollMs *= POLL_GROWTH) {
        await Bun.sleep(pollMs);
        found = await ask(`/batches/${batch.id}`, { headers });
      }
      expect(found).toMatchObject({ status: "completed", request_counts: { completed: LINES } });
    },
  };
}

test("a line takes no more objects and statements than its budget, and shares transactions and syncs", async () => {
  const gateway = await startMeasured(ONE_AT_A_TIME);
  try {
    const request = await makeRequest(gateway);
    const objects = await countObjects(gateway, request);
    await gateway.ask("count");
    const own = { ...objects, ...(await countStatements(gateway, request)) };
    const { transactions, syncs } = await countShared(gateway, request);
    console.log(`${syncs} syncs`);
    expect(syncs).toBeLessThanOrEqual(SYNCS_MAX);
    expectNone([
      ...judgeAndRecord(request.name, own),
      ...judgeAndRecord(`a batch of ${LINES} lines`, { transactions }),
    ]);
  } finally {
    await gateway.stop();
  }
}, 600_000);

test("lines at once are decided and settled together, and share statements", async () => {
  const gateway = await startMeasured();
  try {
    const request = await makeRequest(gateway);
    await request.send();
    await gateway.ask("count");
    const { statements } = await countStatements(gateway, request);
    const { transactions } = await countShared(gateway, request);
    console.log(`at once: ${statements} statements a line, ${transactions} transactions`);
    expect(statements).toBeLessThanOrEqual(AT_ONCE.statementsMax);
    expect(transactions).toBeLessThanOrEqual(AT_ONCE.transactionsMax);
  } finally {
    await gateway.stop();
  }
}, 300_000);
