// Rerank and moderation as each provider is sent them, and answers that no recording has.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json.ts";
import { MODERATION } from "../../src/operations/moderation/operation.ts";
import type { RerankRequest } from "../../src/operations/rerank/form.ts";
import { RERANK } from "../../src/operations/rerank/operation.ts";
import { makeCard } from "./drive.ts";
import { readId, TARGET } from "./target.ts";

describe("rerank as it is sent", () => {
  const ask: RerankRequest = {
    model: "any",
    query: "q",
    documents: ["a", "b"].map((text) => ({ text, given: text })),
    isShowingDocuments: true,
    resultsMax: 5,
    documentTokensMax: 100,
    extras: { user: "u" },
  };
  const base = { model: "m", query: "q", documents: ["a", "b"] };
  const rows: readonly (readonly [string, JsonObject, string])[] = [
    ["Cohere#m", { ...base, top_n: 2, max_tokens_per_doc: 100 }, "user"],
    ["Voyage#m", { ...base, top_k: 2 }, "user max_tokens_per_doc"],
    ["Jina#m", { ...base, top_n: 2, return_documents: false }, "user max_tokens_per_doc"],
    ["Fireworks#m", { ...base, top_n: 2, return_documents: false, user: "u" }, "max_tokens_per_doc"],
    ["vLLM#m", { ...base, top_n: 2, user: "u" }, "max_tokens_per_doc"],
  ];
  for (const [id, body, dropped] of rows) {
    test(id, () => {
      const { dialect, card } = readId(id);
      const outgoing = RERANK.findCodec(dialect)?.encode(ask, card, TARGET);
      expect(outgoing?.url).toBe(`${TARGET.baseUrl}/rerank`);
      expect(outgoing?.body).toEqual(body);
      expect(outgoing?.dropped.join(" ")).toBe(dropped);
    });
  }

  test("a result for no document, or twice for one, is a fault", () => {
    const { dialect, card } = readId("vLLM#m");
    const read = (...indexes: readonly unknown[]) => {
      const results = indexes.map((index) => ({ index, relevance_score: 0.5 }));
      return () => RERANK.findCodec(dialect)?.reply({ results }, card, ask, new Headers());
    };
    expect(read(1, 0)).not.toThrow();
    for (const indexes of [[2], [-1], [0.5], [0, 0], ["0"], []])
      expect(read(...indexes)).toThrow("not readable");
  });

  test("a report without the unit that the card is priced by is none", () => {
    const { dialect } = readId("Cohere#m");
    const results = [{ index: 0, relevance_score: 1 }];
    const read = (price: object, body: object) => {
      const card = { ...makeCard("m", null), price: { input: 0, output: 0, ...price } };
      return RERANK.findCodec(dialect)?.reply({ results, ...body }, card, ask, new Headers()).usage;
    };
    const units = { meta: { billed_units: { search_units: 3 } } };
    expect(read({ perSearchUnit: 0.002 }, units)?.amounts.searchUnits).toBe(3);
    expect(read({ input: 1 }, units)).toBeNull();
    expect(read({ perSearchUnit: 0.002 }, { usage: { total_tokens: 9 } })).toBeNull();
    expect(read({ input: 1 }, { usage: { total_tokens: 9 } })?.amounts.prompt).toBe(9);
  });
});

describe("moderation as it is sent", () => {
  const text = { type: "text", text: "a" } as const;
  const image = { type: "image_url", image_url: { url: "https://pictures.example/1.png" } } as const;

  function send(id: string, inputs: Parameters<typeof MODERATION.estimatePrompt>[0]["inputs"]) {
    const { dialect, card } = readId(id);
    return MODERATION.findCodec(dialect)?.encode({ model: id, inputs, extras: {} }, card, TARGET).body.input;
  }

  test("a text, several, and parts that are judged together", () => {
    expect(send("OpenAI#m", ["a"])).toBe("a");
    expect(send("OpenAI#m", ["a", "b"])).toEqual(["a", "b"]);
    expect(send("OpenAI#m", [[text, image]])).toEqual([text, image]);
    expect(send("Mistral#m", [[text, text]])).toBe("a\na");
    expect(() => send("Mistral#m", [[text, image]])).toThrow("texts only");
  });

  test("Mistral's verdict is flagged where a category is", () => {
    const { dialect, card } = readId("Mistral#m");
    const results = [true, false].map((sexual) => ({
      categories: { sexual },
      category_scores: { sexual: 0.5 },
    }));
    const ask = { model: "m", inputs: ["a", "b"], extras: {} };
    const reply = MODERATION.findCodec(dialect)?.reply({ results }, card, ask, new Headers());
    expect(reply?.results.map(({ flagged }) => flagged)).toEqual([true, false]);
  });
});
