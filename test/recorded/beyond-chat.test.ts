// Every recorded exchange of embeddings, rerank and moderation: vectors, scores and verdicts are read correctly.
import { describe, expect, test } from "bun:test";
import { Fault, toFault } from "../../src/core/faults/fault.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import type { EmbeddingsRequest } from "../../src/operations/embeddings/form.ts";
import { EMBEDDINGS } from "../../src/operations/embeddings/operation.ts";
import { toBase64, toFloats } from "../../src/operations/embeddings/vector.ts";
import { MODERATION } from "../../src/operations/moderation/operation.ts";
import { RERANK } from "../../src/operations/rerank/operation.ts";
import { type Exchange, readBeyondChat } from "./beyond-chat.ts";
import { atLeast } from "./load.ts";

const { exchanges } = readBeyondChat();
const good = (operation: string) =>
  exchanges.filter((one) => one.operation === operation && one.status === 200);

/** The vectors of an answer, read without the codec. */
function readGiven(body: JsonObject): readonly (readonly number[])[] {
  const rows = asArray(body.data ?? (Array.isArray(body.embeddings) ? body.embeddings : []));
  const typed = asArray(asObject(body.embeddings).float);
  const single = body.embedding ? [body.embedding] : [];
  const predicted = asArray(body.predictions).map((one) => asObject(one).embeddings);
  const lists = [...rows, ...typed, ...single, ...predicted].map((row) =>
    Array.isArray(row) ? row : (asObject(row).embedding ?? asObject(row).values),
  );
  return lists.map((list) => (typeof list === "string" ? decode(list) : asArray(list).map(Number)));
}

function decode(text: string): readonly number[] {
  return [...new Float32Array(Uint8Array.fromBase64(text).buffer)];
}

function makeAsk(exchange: Exchange): EmbeddingsRequest {
  const count = readGiven(asObject(parseJson(exchange.body))).length;
  const inputs = Array.from({ length: count }, () => "text");
  return { model: exchange.card.id, inputs, encoding: "float", extras: {} };
}

const options = { offset: 0, dropped: [], isNative: false };

function read(exchange: Exchange) {
  const { dialect, card, body, headers } = exchange;
  const codec = EMBEDDINGS.findCodec(dialect);
  if (!codec) throw new Error(`${exchange.id} has no codec`);
  return EMBEDDINGS.readWhole(codec, { body, headers }, { ask: makeAsk(exchange), card, ...options });
}

describe("recorded embeddings", () => {
  test("each vector is returned unchanged, as numbers and as base64", () => {
    for (const exchange of good("embeddings")) {
      const given = readGiven(asObject(parseJson(exchange.body)));
      const { vectors } = read(exchange);
      expect([exchange.id, vectors.length]).toEqual([exchange.id, given.length]);
      for (const [at, vector] of vectors.entries()) {
        for (const floats of [toFloats(vector), decode(toBase64(vector))]) {
          const expected = given[at] ?? [];
          const off = floats.map((one, place) => Math.abs(one - (expected[place] ?? Number.NaN)));
          expect([exchange.id, floats.length]).toEqual([exchange.id, expected.length]);
          expect(Math.max(...off)).toBeLessThan(1e-4);
        }
      }
    }
    expect(good("embeddings").length).toBeGreaterThanOrEqual(atLeast(110));
  });

  test("usage is the provider's, or none", () => {
    const silent = good("embeddings").filter((exchange) => read(exchange).usage === null);
    expect(
      silent.every(({ body }) => !/prompt_?tokens?|total_tokens|input_tokens|token_count/i.test(body)),
    ).toBe(true);
    expect(silent.length).toBeGreaterThan(0);
    for (const exchange of good("embeddings").filter((one) => !silent.includes(one))) {
      expect(read(exchange).usage?.amounts.prompt).toBeGreaterThan(0);
    }
  });

  test("each refusal is a client fault with the provider's words", () => {
    for (const { id, dialect, status, headers, body } of exchanges.filter((one) => one.status >= 400)) {
      const fault = dialect.explain(status, headers, body, 0);
      expect(fault).toBeInstanceOf(Fault);
      if (status === 400 || status === 404) expect([id, fault.row.blame]).toEqual([id, "client"]);
    }
  });
});

describe("recorded rerank and moderation", () => {
  test("each score is returned unchanged, best first", () => {
    for (const { id, dialect, card, body, headers, request } of good("rerank")) {
      const given = asObject(parseJson(body));
      const rows = asArray(given.results ?? given.data).map(asObject);
      const documents = Array.from({ length: asArray(request?.documents).length || rows.length }, () => ({
        text: "x",
        given: "x",
      }));
      const ask = { model: card.id, query: "q", documents, isShowingDocuments: false, extras: {} };
      const codec = RERANK.findCodec(dialect);
      if (!codec) throw new Error(`${id} has no codec`);
      const work = () => RERANK.readWhole(codec, { body, headers }, { ask, card, ...options });
      // The recorded request asked for no results, which the gateway refuses.
      if (rows.length === 0) {
        expect(work).toThrow();
        continue;
      }
      const { results, usage } = work();
      expect(results.map(({ index, score }) => [index, score])).toEqual(
        rows.map(({ index, relevance_score }) => [Number(index), Number(relevance_score)]),
      );
      const { prompt = 0, searchUnits = 0 } = usage?.amounts ?? {};
      // Bedrock doesn't report it.
      const isCounted = given.usage !== undefined || given.meta !== undefined;
      expect([id, prompt + searchUnits > 0]).toEqual([id, isCounted]);
    }
    expect(good("rerank").length).toBeGreaterThanOrEqual(atLeast(8));
  });

  test("each verdict is returned unchanged", () => {
    for (const { dialect, card, body, headers } of good("moderation")) {
      const results = asArray(asObject(parseJson(body)).results).map(asObject);
      const ask = { model: card.id, inputs: results.map(() => "x"), extras: {} };
      const codec = MODERATION.findCodec(dialect);
      if (!codec) throw new Error("no codec");
      const reply = MODERATION.readWhole(codec, { body, headers }, { ask, card, ...options });
      expect<readonly unknown[]>(reply.results).toEqual(
        // Mistral leaves out whether any category is true.
        results.map((one) => ({ flagged: Object.values(asObject(one.categories)).includes(true), ...one })),
      );
    }
    expect(good("moderation").length).toBeGreaterThanOrEqual(atLeast(6));
  });

  test("a server started without the operation doesn't serve it, and still counts as healthy", () => {
    const refused = exchanges.filter(({ status }) => status === 501);
    expect(refused.length).toBeGreaterThan(0);
    for (const { dialect, headers, body } of refused) {
      const fault = toFault(dialect.explain(501, headers, body, 0));
      expect([fault.code, fault.row.blame]).toEqual(["unsupported_capability", "client"]);
      expect(fault.message).toMatch(/^This server does not support/);
    }
  });
});
