// Embeddings and rerank on Bedrock through the running gateway: each maker's form, and the usage counted.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { BEDROCK_EMBEDDINGS } from "../../../src/dialects/bedrock/invoke.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { makeCard } from "../cases/drive.ts";

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest();
});
afterAll(() => gateway.stop());

async function post(path: string, body: JsonObject) {
  const before = gateway.simulator.calls.total;
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${gateway.secret}` },
    body: JSON.stringify(body),
  });
  const calls = gateway.simulator.calls.all().slice(-(gateway.simulator.calls.total - before) || Infinity);
  return {
    status: response.status,
    dropped: response.headers.get("x-poundkey-dropped"),
    body: asObject(await response.json()),
    calls: calls.map((call) => [call.path, call.body]),
  };
}

const TITAN = "amazon.titan-embed-text-v2:0";
const NOVA = "amazon.nova-2-multimodal-embeddings-v1:0";
const lengths = (body: JsonObject) =>
  asArray(body.data).map((row) => asArray(asObject(row).embedding).length);

describe("embeddings", () => {
  test("of Titan take one call per text, stay in order, and are counted together", async () => {
    const { status, body, calls, dropped } = await post("embeddings", {
      model: `Bedrock#${TITAN}`,
      input: ["one", "two words"],
      dimensions: 256,
      input_type: "query",
    });
    expect([status, lengths(body), dropped]).toEqual([200, [256, 256], "input_type"]);
    const path = "/model/amazon.titan-embed-text-v2%3A0/invoke";
    const fields = { normalize: true, dimensions: 256 };
    expect(calls).toContainEqual([path, { inputText: "one", ...fields }]);
    expect(calls).toContainEqual([path, { inputText: "two words", ...fields }]);
    expect(asObject(body.usage).prompt_tokens).toBe(4);
  });

  test("of Titan's first version have a fixed length", async () => {
    const model = "Bedrock#amazon.titan-embed-text-v1";
    expect((await post("embeddings", { model, input: "x" })).calls.map(([, sent]) => sent)).toEqual([
      { inputText: "x" },
    ]);
    const { status, body } = await post("embeddings", { model, input: "x", dimensions: 512 });
    expect([status, asObject(body.error).param]).toEqual([400, "dimensions"]);
  });

  test("of Nova and Cohere state their purpose", async () => {
    const nova = await post("embeddings", {
      model: `Bedrock#${NOVA}`,
      input: "x",
      input_type: "query",
      truncate: "end",
      dimensions: 384,
    });
    expect([nova.status, lengths(nova.body), nova.calls[0]?.[1]]).toEqual([
      200,
      [384],
      {
        taskType: "SINGLE_EMBEDDING",
        singleEmbeddingParams: {
          embeddingPurpose: "GENERIC_RETRIEVAL",
          text: { value: "x", truncationMode: "END" },
          embeddingDimension: 384,
        },
      },
    ]);
    for (const name of ["cohere.embed-v4:0", "cohere.embed-english-v3"]) {
      const { status, body, calls } = await post("embeddings", {
        model: `Bedrock#${name}`,
        input: ["x", "y"],
        encoding_format: "base64",
      });
      expect([status, calls.map(([, sent]) => sent)]).toEqual([
        200,
        [{ texts: ["x", "y"], input_type: "search_document" }],
      ]);
      expect(asArray(body.data).map((row) => typeof asObject(row).embedding)).toEqual(["string", "string"]);
    }
  });

  test("of token ids are refused, because each model has its own", async () => {
    const { status, body } = await post("embeddings", { model: `Bedrock#${TITAN}`, input: [[1, 2]] });
    expect([status, asObject(body.error).code]).toEqual([400, "unsupported_capability"]);
  });

  test("are counted by a header if the body has no count", () => {
    const ask = { model: "m", inputs: ["x"], encoding: "float" as const, extras: {} };
    const answer = { embeddings: [[1, 2]] };
    const read = (headers: Record<string, string>, body: JsonObject = answer) =>
      BEDROCK_EMBEDDINGS.reply(body, makeCard("cohere.embed-english-v3", null), ask, new Headers(headers))
        .usage?.amounts.prompt;
    expect(read({ "x-amzn-bedrock-input-token-count": "7" })).toBe(7);
    expect(read({})).toBeUndefined();
  });
});

test("rerank uses Cohere's format with the version that Bedrock requires", async () => {
  const { status, body, calls } = await post("rerank", {
    model: "Bedrock#cohere.rerank-v3-5:0",
    query: "ruby",
    documents: ["a pearl", "ruby ruby", "gold"],
    top_n: 2,
  });
  expect([status, calls]).toEqual([
    200,
    [
      [
        "/model/cohere.rerank-v3-5%3A0/invoke",
        { api_version: 2, query: "ruby", documents: ["a pearl", "ruby ruby", "gold"], top_n: 2 },
      ],
    ],
  ]);
  expect(asArray(body.results).map((row) => asObject(row).index)).toEqual([1, 0]);
});
