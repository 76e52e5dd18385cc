// Rerank over HTTP: its forms, bounds and units.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import type { Seen } from "../whole/world/observe.ts";
import { until } from "../whole/world/until.ts";
import { computeCost, type OperationsWorld, SEARCH_UNIT_USD, startOperationsWorld } from "./world.ts";

let world: OperationsWorld;
let own: OwnForms;
beforeAll(async () => {
  own = startOwnForms();
  const model = (name: string) => `[{ name: "${name}", operations: [rerank], price: { input: 0.1 } }]`;
  world = await startOperationsWorld(
    [
      `  NVIDIA: { base_url: "${own.url}", keys: [k], models: ${model("nvidia/rank-1.5")} }`,
      `  DeepInfra: { base_url: "${own.url}/openai", keys: [k], models: ${model("Qwen/rank")} }`,
    ].join("\n"),
  );
});
afterAll(async () => {
  await world.stop();
  await own.stop();
});
beforeEach(() => world.simulator.reset());

interface OwnForms {
  readonly url: string;
  stop(): Promise<void>;
}

/** An upstream with the forms of DeepInfra and NVIDIA. The last of several documents ranks best. */
function startOwnForms(): OwnForms {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/v1/ranking": async (request) => {
        const rankings = asArray(asObject(await request.json()).passages).map((_, index) => ({
          index,
          logit: index - 7,
        }));
        return Response.json({ rankings, usage: { prompt_tokens: 30, total_tokens: 30 } });
      },
      "/v1/inference/Qwen/rank": async (request) => {
        const scores = asArray(asObject(await request.json()).queries).map((_, at) => at / 10);
        return Response.json({ scores, input_tokens: 40 });
      },
    },
    fetch: () => Response.json({ detail: { error: "no such model" } }, { status: 404 }),
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

const QUERY = "what is a panda";
const DOCUMENTS = ["hi", "a panda is a bear", "what a panda is not"];

function rank(body: Record<string, unknown>, init?: Parameters<OperationsWorld["post"]>[2]): Promise<Seen> {
  return world.post(
    "/v1/rerank",
    { model: "Priced#rank", query: QUERY, documents: DOCUMENTS, ...body },
    init,
  );
}

function readOrder({ body }: Seen): readonly unknown[] {
  return asArray(body.results).map((one) => asObject(one).index);
}

describe("the answer", () => {
  test("has the documents' indexes, best first, from every provider", async () => {
    for (const model of [
      "Priced#rank",
      "Cohere#rerank-v3.5",
      "Voyage#rerank-2.5",
      "Jina#jina-reranker-v2-base-multilingual",
    ]) {
      const answer = await rank({ model });
      expect([model, answer.status, readOrder(answer)]).toEqual([model, 200, [2, 1, 0]]);
      const scores = asArray(answer.body.results).map((one) => Number(asObject(one).relevance_score));
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      expect(answer.body).toMatchObject({ model, id: expect.stringMatching(/^rerank-/) });
    }
  });

  test("is the same from providers with their own formats, whose tokens are charged", async () => {
    const payer = await world.payer(1);
    for (const [model, tokens] of [
      ["NVIDIA#nvidia/rank-1.5", 30],
      ["DeepInfra#Qwen/rank", 40],
    ] as const) {
      const answer = await rank({ model, top_n: 2, return_documents: true }, { secret: payer.secret });
      expect([model, answer.status, readOrder(answer)]).toEqual([model, 200, [2, 1]]);
      expect(asObject(asArray(answer.body.results)[0]).document).toEqual({ text: DOCUMENTS[2] });
      const charged = computeCost(tokens);
      expect(answer.body.usage).toMatchObject({ prompt_tokens: tokens, charged });
    }
  });

  test("is the same at all its addresses", async () => {
    const body = { model: "Cohere#rerank-v3.5", query: QUERY, documents: DOCUMENTS };
    for (const path of ["/v1/rerank", "/v2/rerank", "/rerank"]) {
      expect(readOrder(await world.post(path, body))).toEqual([2, 1, 0]);
    }
  });

  test("has the requested number of results", async () => {
    expect(readOrder(await rank({ top_n: 1 }))).toEqual([2]);
    expect(readOrder(await rank({ top_n: 50, model: "Voyage#rerank-2.5" }))).toEqual([2, 1, 0]);
    expect(world.bodies().at(-1)?.top_k).toBe(3);
    const voyages = await rank({ top_k: 1 });
    expect(voyages.body.data).toEqual(asArray(voyages.body.results));
    expect([readOrder(voyages), world.bodies().at(-1)?.top_n]).toEqual([[2], 1]);
  });

  test("returns the documents as sent, even if the provider can't", async () => {
    const documents = ["plain", { text: "a panda", id: 7 }];
    const answer = await rank({ model: "Cohere#rerank-v3.5", documents, return_documents: true });
    expect(asArray(answer.body.results).map((one) => asObject(one).document)).toEqual([
      { text: "a panda", id: 7 },
      { text: "plain" },
    ]);
    expect(world.bodies()[0]?.documents).toEqual(["plain", "a panda"]);
    expect(asObject(asArray((await rank({})).body.results)[0]).document).toBeUndefined();
  });

  test("ranks by the named fields of documents", async () => {
    await rank({
      documents: [{ title: "Pandas", body: "are bears", note: "x" }],
      rank_fields: ["title", "body"],
    });
    expect(world.bodies()[0]?.documents).toEqual(["title: Pandas\nbody: are bears"]);
  });
});

describe("money", () => {
  test("search units are charged by the provider's count", async () => {
    const payer = await world.payer(1);
    const documents = Array.from({ length: 250 }, (_, at) => `document ${at}`);
    const answer = await rank({ model: "Batches#rerank-v3.5", documents }, { secret: payer.secret });
    expect(answer.body.meta).toEqual({ billed_units: { search_units: 3 } });
    expect(answer.body.usage).toMatchObject({ charged: 3 * SEARCH_UNIT_USD });
    expect(await world.balanceNano(payer)).toBe(1_000_000_000 - 6_000_000);
    expect(await world.row(answer)).toMatchObject({
      operation: "rerank",
      surface: "rerank",
      units: { search_units: 3 },
    });
  });

  test("search units and operations appear in the metrics", async () => {
    await rank({ model: "Batches#rerank-v3.5" });
    const text = await until("they are counted", async () => {
      const found = await (await fetch(`${world.url}/metrics`)).text();
      return /poundkey_units_total\{model="Batches#rerank-v3.5",unit="search_units"\} \d/.test(found)
        ? found
        : null;
    });
    expect(text).toMatch(/poundkey_operations_total\{operation="rerank",surface="rerank"\} [1-9]/);
  });

  test("tokens are charged if the card has a price for them, the query's once per document", async () => {
    const payer = await world.payer(1);
    const answer = await rank(
      { query: "x".repeat(40), documents: ["y".repeat(80), "z".repeat(80)] },
      { secret: payer.secret },
    );
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 60, total_tokens: 60, charged: 0.000006 });
    expect(await world.balanceNano(payer)).toBe(1_000_000_000 - 6000);
  });

  test("without a report an estimate is charged", async () => {
    const payer = await world.payer(1);
    const units = await rank({ model: "Batches#rerank-v3.5~trouble=no-usage" }, { secret: payer.secret });
    expect(units.body.usage).toMatchObject({ charged: SEARCH_UNIT_USD });
    expect(await world.row(units)).toMatchObject({ usage_source: "estimate" });
    const tokens = await rank({ model: "Priced#rank~trouble=no-usage" }, { secret: payer.secret });
    expect(Number(asObject(tokens.body.usage).charged)).toBeGreaterThan(0);
  });

  test("an answer that breaks off is free, and its place is given back", async () => {
    const { secret } = await world.newKey({ requests_per_day: 3 });
    expect((await rank({ model: "Priced#rank~trouble=cut" }, { secret })).status).toBe(502);
    expect(await world.used(secret)).toBe(0);
    await rank({}, { secret });
    expect(await world.used(secret)).toBe(1);
  });
});

describe("refused before any call", () => {
  const many = Array.from({ length: 1001 }, () => "x");
  const ROWS: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
    ["no query", { query: "" }, "empty_string", "query"],
    ["no documents", { documents: [] }, "empty_array", "documents"],
    ["too many documents", { documents: many }, "array_above_max_length", "documents"],
    ["a number for a document", { documents: [1] }, "invalid_type", "documents[0]"],
    [
      "a document without text",
      { documents: ["a", { title: "b" }] },
      "missing_required_parameter",
      "documents[1].text",
    ],
    ["no results", { top_n: 0 }, "integer_below_min_value", "top_n"],
    ["words for a number", { top_n: "3" }, "invalid_type", "top_n"],
    ["a stream", { stream: true }, "unsupported_parameter", "stream"],
    ["a model of embeddings", { model: "Priced#embed" }, "unsupported_capability", "model"],
  ];
  for (const [name, body, code, param] of ROWS) {
    test(name, async () => {
      const refused = await rank(body);
      expect([refused.status, refused.error?.code, refused.error?.param]).toEqual([400, code, param]);
      expect(world.simulator.calls.total).toBe(0);
    });
  }
});

describe("a limit on documents that the provider can't be told", () => {
  const documents = Array.from({ length: 20 }, () => "a word ".repeat(500));
  const cut = { documents, max_tokens_per_doc: 1 };

  test.each(["Priced#rank", "Priced#rank~trouble=no-usage"])(
    "%s: changes neither the hold nor an estimated charge",
    async (model) => {
      const { secret } = await world.payer(5);
      const plain = await rank({ model, documents }, { secret });
      const limited = await rank({ model, ...cut }, { secret });
      expect(limited.headers.get("x-poundkey-dropped")).toBe("max_tokens_per_doc");
      const one = await world.row(plain);
      const other = await world.row(limited);
      expect(Number(other.hold_usd)).toBeGreaterThan(0);
      expect([other.hold_usd, other.charged_usd]).toEqual([one.hold_usd, one.charged_usd]);
    },
  );

  test("Cohere is told, and held for less", async () => {
    const { secret } = await world.payer(5);
    const model = "Batches#rerank-v3.5";
    const held = async (body: Record<string, unknown>) =>
      Number((await world.row(await rank({ model, ...body }, { secret }))).hold_usd);
    const long = { documents: documents.map((text) => text.repeat(4)) };
    expect(await held({ ...long, max_tokens_per_doc: 1 })).toBeLessThan(await held(long));
  });
});
