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
const MODEL = "OpenAI#gpt-4o";
/** Each look costs the gateway as much as a request, so it waits longer each time. */
const FIRST_POLL_MS = 250;
const POLL_GROWTH = 1.3;
const ENDED = ["completed", "failed", "expired", "cancelled"];
/** As with requests, one is counted at a time: lines at once share transactions by chance. */
const ONE_AT_A_TIME = "batches: { parallel: 1 }";

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
    const shared = await countShared(gateway, request);
    expectNone([
      ...judgeAndRecord(request.name, own),
      ...judgeAndRecord(`a batch of ${LINES} lines`, { ...shared }),
    ]);
  } finally {
    await gateway.stop();
  }
}, 600_000);
