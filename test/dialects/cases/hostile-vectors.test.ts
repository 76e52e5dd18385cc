// Malformed answers beyond chat: each codec reads them, or throws a Fault.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { EMBEDDINGS } from "../../../src/operations/embeddings/operation.ts";
import { MODERATION } from "../../../src/operations/moderation/operation.ts";
import { RERANK } from "../../../src/operations/rerank/operation.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { makeCard } from "./drive.ts";

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "x",
  "AAAA",
  [],
  {},
  [[]],
  [null],
  [{}],
  ["x"],
  [[1, "x"]],
  [[Number.MAX_VALUE]],
  { float: "x" },
  { float: [[]] },
  [{ index: -1 }],
  [{ index: "0", embedding: [1] }],
  { length: 9 },
  [
    { index: 1e9, relevance_score: "x" },
    { index: 0, relevance_score: null },
  ],
  [{ categories: null }, { categories: [] }, { flagged: "no" }],
  Array.from({ length: 20_000 }, (_, index) => ({ index: index % 7, embedding: [1], relevance_score: 1 })),
];
const FIELDS = [
  "data",
  "embeddings",
  "embedding",
  "results",
  "predictions",
  "usage",
  "meta",
  "usageMetadata",
];

function* makeBodies(): Iterable<unknown> {
  yield* ODD;
  for (const field of FIELDS) for (const value of ODD) yield { [field]: value };
  const usage = [
    { prompt_tokens: -5 },
    { prompt_tokens: 1e300 },
    { total_tokens: "9" },
    { prompt_tokens: 0.5 },
  ];
  for (const one of usage) {
    const rows = [{ index: 0, embedding: [1], relevance_score: 1, categories: { a: true } }];
    yield {
      data: rows,
      results: rows,
      usage: one,
      meta: { billed_units: { search_units: -1, input_tokens: [] } },
    };
  }
}

const delivered = (body: unknown) => ({ body: JSON.stringify(body), headers: new Headers() });
const options = { offset: 0, dropped: [], isNative: false };
const document = { text: "a", given: "a" };

/** Runs `read`. Rethrows anything but a Fault. */
function readSafely(read: () => { readonly usage: unknown }): JsonObject | null {
  try {
    return { ...read() };
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

test("every provider's codecs either read hostile input or refuse it", () => {
  const card = { ...makeCard("m", null), price: { input: 1, output: 0, perSearchUnit: 1 } };
  let sound = 0;
  for (const dialect of PROVIDERS.flatMap(({ dialects }) => dialects)) {
    const { embeddings, rerank, moderation } = dialect;
    for (const body of makeBodies()) {
      const replies = [
        embeddings &&
          readSafely(() => {
            const ask = { model: "m", inputs: ["a"], encoding: "float" as const, extras: {} };
            return EMBEDDINGS.readWhole(embeddings, delivered(body), { ask, card, ...options });
          }),
        rerank &&
          readSafely(() => {
            const ask = {
              model: "m",
              query: "q",
              documents: [document],
              isShowingDocuments: false,
              extras: {},
            };
            return RERANK.readWhole(rerank, delivered(body), { ask, card, ...options });
          }),
        moderation &&
          readSafely(() => {
            const ask = { model: "m", inputs: ["a"], extras: {} };
            return MODERATION.readWhole(moderation, delivered(body), { ask, card, ...options });
          }),
      ];
      for (const reply of replies) {
        if (!reply) continue;
        sound++;
        // Counts must be whole and not negative.
        expect(JSON.stringify(reply.usage ?? {})).not.toMatch(/:-|\.\d|null|e\+/);
      }
    }
  }
  expect(sound).toBeGreaterThan(10);
});
