// Requests with a value for each detector, by every way in; the answers repeat them.
import { asObject, asString, parseJson } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { makeRequest, readWords, WAYS } from "../../steps/asked.ts";
import { createBatch, makeClients, waitForEnd } from "../batches/batch-bench.ts";
import { until } from "../world/until.ts";
import { SENTENCE } from "./nowhere-canaries.ts";

const SAID = `say: ${SENTENCE}`;

/** The rows that the surfaces' requests leave at least. */
export const ROWS_LEAST = WAYS.length * 2 + 1;

/** The texts of answers that clients got. */
export interface Shown {
  /** Of each surface, whole and streamed, the second of them of the cache. */
  readonly answers: readonly string[];
  /** Of a request and of the same under its Idempotency-Key. */
  readonly replayed: readonly string[];
  /** Of a kept response, and as it is read again. */
  readonly kept: readonly string[];
  /** Of a line of a batch. */
  readonly line: string;
}

type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<string>;

/** Each surface, whole and streamed, twice, so that the cache answers; failed, refused and replayed; and a batch. */
export async function askAll({ url, secret }: UnderTest): Promise<Shown> {
  const authorization = `Bearer ${secret}`;
  // A database on a busy machine may be away for a second.
  const post: Post = (path, body, more = {}) =>
    until("the store is there", async () => {
      const headers = { authorization, "content-type": "application/json", ...more };
      const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      const text = await response.text();
      return text.includes("store_unavailable") ? null : text;
    });
  const answers: string[] = [];
  for (const way of WAYS) {
    const [path, body] = makeRequest(way, SAID);
    for (const _ of [1, 2]) answers.push(addWords(await post(path, body)));
  }
  await askOthers(post);
  const replayed: string[] = [];
  const asked = { ...chat("Local#sim"), temperature: 0.5 };
  for (const _ of [1, 2])
    replayed.push(await post("/v1/chat/completions", asked, { "idempotency-key": "one" }));
  const response = await post("/v1/responses", {
    model: "Local#sim",
    input: SAID,
    instructions: "Be exact.",
    store: true,
  });
  const id = asString(asObject(parseJson(response)).id);
  const again = await fetch(`${url}/v1/responses/${id}`, { headers: { authorization } });
  const kept = [response, await again.text()];
  const { openai } = makeClients(url, secret);
  const line = { custom_id: "1", method: "POST", url: "/v1/chat/completions", body: chat("Local#sim") };
  const { output_file_id: file } = await waitForEnd(openai, await createBatch(openai, [line]));
  return { answers, replayed, kept, line: file ? await (await openai.files.content(file)).text() : "" };
}

/** Pieces of a stream cut values: its words stand behind it as a whole. */
const addWords = (text: string) => `${text}\n${readWords({ text })}`;

async function askOthers(post: Post): Promise<void> {
  for (const trouble of ["400", "429", "500", "cut"]) {
    const stream = trouble === "cut";
    await post("/v1/chat/completions", { ...chat(`Local#sim~trouble=${trouble}`), stream });
  }
  const metadata = { note: SENTENCE.slice(0, 400) };
  await post("/v1/chat/completions", { ...chat("Local#sim"), metadata, user: SAID.slice(0, 200) });
  await post("/v1/embeddings", { model: "OpenAI#sim", input: SAID });
  await post("/v1/moderations", { model: "OpenAI#sim", input: SAID });
}

function chat(model: string) {
  return { model, messages: [{ role: "user", content: SAID }] };
}
