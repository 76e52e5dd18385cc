// Requests that try to be held or charged for less than they cost, at every provider, with what each of them costs.

import { Fault } from "../../src/core/faults/fault.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { type Amounts, addAmounts, NO_AMOUNTS } from "../../src/core/money/units.ts";
import { fitAsk, makeOffers } from "../../src/gateway/plan/fitted.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../src/gateway/plan/upstream.ts";
import { countAnswer } from "../../src/gateway/settle/counted.ts";
import { computeHoldTerms } from "../../src/ledger/worst.ts";
import type { Form } from "../../src/operations/form.ts";
import type { Operation } from "../../src/operations/operation.ts";
import { cost } from "../harness/cards.ts";
import {
  ASKED,
  type Asked,
  makeCards,
  PLAIN_SETUP,
  PROVIDER_DIALECTS,
  type ProviderDialect,
} from "../ledger/holds/subjects.ts";
import { billCall } from "./truth.ts";

const RULES = { markup: 1, provider: null, findHold: () => Number.POSITIVE_INFINITY };

const WORDS = "some words, of the usual kind; ".repeat(200);
const DIGITS = "90210-4711 ".repeat(400);
const MANY = { documents: Array.from({ length: 100 }, () => WORDS) };
const picture = { image_url: "data:image/png;base64,aaaa" };

type Attack = readonly [name: string, body: JsonObject];

const sizes = ["low", "medium", "high"].flatMap((quality) =>
  ["1024x1024", "1536x864", "3840x2160"].map(
    (size): Attack => [`${size} in ${quality}`, { quality, size, n: 2 }],
  ),
);

/** By surface: what a client adds to a plain request, to make it look cheaper than it is. */
const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  "openai-chat": [
    ["a plain request", {}],
    ["an output limit of 1", { max_tokens: 1 }],
    ["four answers", { n: 4, max_tokens: 100 }],
    ["digits", { messages: [{ role: "user", content: DIGITS }] }],
    ["no search, it says", { disable_search: true }],
    ["a search", { web_search_options: {} }],
    ["a faster tier", { service_tier: "priority" }],
  ],
  "openai-completions": [
    ["a plain request", {}],
    ["the best of four", { best_of: 4, n: 1, max_tokens: 50 }],
    ["many prompts", { prompt: [WORDS, DIGITS, "a"], max_tokens: 50 }],
  ],
  "openai-embeddings": [
    ["a plain request", {}],
    ["digits", { input: [DIGITS, "1"] }],
    ["many small texts", { input: Array.from({ length: 300 }, () => "a") }],
    ["texts cut at their start", { truncate: "start", dimensions: 1 }],
    ["queries", { input_type: "query", input: ["a"] }],
  ],
  "gemini-embeddings": [["a long title", { title: WORDS, taskType: "RETRIEVAL_DOCUMENT" }]],
  rerank: [
    ["a plain request", {}],
    ["documents cut to one token", { query: "a", max_tokens_per_doc: 1 }],
    ["one result", { top_n: 1 }],
    ["digits", { query: DIGITS, documents: [DIGITS, "1"] }],
    ["many such documents", { ...MANY, query: "a", max_tokens_per_doc: 1 }],
    ["many long documents", MANY],
  ],
  "openai-images": [
    ["a plain request", {}],
    ["low quality", { quality: "low" }],
    ["a tiny size", { quality: "low", size: "16x16" }],
    ["drafts", { stream: true, partial_images: 3, quality: "low" }],
    ["digits, in low quality", { prompt: DIGITS, quality: "low", size: "1024x1024" }],
    ...sizes,
  ],
  "openai-speech": [
    ["a plain request", {}],
    ["a fast voice", { speed: 4 }],
    ["a slow voice", { speed: 0.25 }],
    ["one letter", { input: "a" }],
    ["digits", { input: DIGITS }],
    ["long instructions", { input: "a", instructions: DIGITS }],
  ],
  moderations: [["many small texts", { input: Array.from({ length: 100 }, () => "a") }]],
};

const BASES: Readonly<Record<string, JsonObject>> = {
  "openai-chat": { model: "P#m", messages: [{ role: "user", content: WORDS }] },
  "openai-completions": { model: "P#m", prompt: WORDS },
  "openai-embeddings": { model: "P#m", input: [WORDS, "a"] },
  "gemini-embeddings": { content: { parts: [{ text: "a" }] } },
  rerank: { model: "P#m", query: WORDS, documents: [WORDS, "a"] },
  "openai-images": { model: "P#m", prompt: "a picture", images: [picture, picture] },
  "openai-speech": { model: "P#m", input: WORDS },
  moderations: { model: "P#m", input: WORDS },
};

export interface HoldRow {
  readonly operation: string;
  readonly provider: string;
  readonly model: string;
  readonly attack: string;
  readonly holdUsd: number;
  readonly trueUsd: number;
  /** The charge if the provider reports the truth, a hundred times that, and nothing. */
  readonly chargedUsd: number;
  readonly excessUsd: number;
  readonly estimatedUsd: number;
}

const USD = 1_000_000_000;
const EXCESS = 100;
const ENOUGH = { room: { nanoUsd: Number.MAX_SAFE_INTEGER, unnamedNanoUsd: Number.MAX_SAFE_INTEGER } };
const TERMS = { isLimitRequired: false, searches: 0, unreadBytes: 0 };

/** Returns the row of every attack at every provider that serves it. */
export function listHoldRows(): readonly HoldRow[] {
  return PROVIDER_DIALECTS.flatMap((provider) =>
    ASKED.flatMap(({ name, operation, use }) =>
      makeCards(provider, operation).flatMap((card) => use((asked) => listRows(asked, name, provider, card))),
    ),
  );
}

function listRows<F extends Form>(
  asked: Asked<F>,
  surface: string,
  provider: ProviderDialect,
  card: ModelCard,
): readonly HoldRow[] {
  return (ATTACKS[surface] ?? []).flatMap(([attack, more]) => {
    const ask = readAsk(asked, { ...BASES[surface], ...more });
    const priced = ask && priceAttack(asked.operation, ask, provider, card);
    if (!priced) return [];
    const about = { operation: asked.operation.name, provider: provider.provider, model: card.name };
    return [{ ...about, attack, ...priced }];
  });
}

/** Returns null if the surface refuses the request. */
function readAsk<F extends Form>({ read }: Asked<F>, body: JsonObject): F["ask"] | null {
  return catchFault(() => read(body));
}

function catchFault<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

type Priced = Pick<HoldRow, "holdUsd" | "trueUsd" | "chargedUsd" | "excessUsd" | "estimatedUsd">;

function priceAttack<F extends Form>(
  operation: Operation<F>,
  ask: F["ask"],
  { provider, baseUrl, dialect }: ProviderDialect,
  card: ModelCard,
): Priced | null {
  const codec = operation.findCodec(dialect);
  if (!codec) return null;
  const target = { baseUrl, secret: "s", headers: {} };
  const parts = operation.split(ask, Math.max(1, codec.answersPerCall(card, ask)));
  const calls = catchFault(() => parts.map((part) => operation.encode(codec, part, card, target)));
  if (calls === null) return null;
  const upstream = makeUpstream({ ...PLAIN_SETUP, name: provider, baseUrl }, [dialect]);
  const call = {
    operation,
    routes: new Routes(operation, "openai", new Map([[provider, upstream]])),
    raw: null,
    ask,
  };
  const truth = calls.reduce(
    (sum, sent) => addAmounts(sum, billCall(operation.name, sent, card)),
    NO_AMOUNTS,
  );
  const sent = { ask: fitAsk(call, ask, card), card, calls: calls.length, unreadBytes: 0, rounds: 0 };
  const charge = (usage: F["usage"]) => countAnswer(operation, usage, "provider", sent, RULES);
  const report = (amounts: Amounts) => charge(writeUsage(amounts)).bill.costNanoUsd / USD;
  const held = computeHoldTerms(makeOffers({ ...call, ...TERMS }, [card]), [ENOUGH], 1);
  return {
    holdUsd: (held?.held[0] ?? 0) / USD,
    trueUsd: cost(card.price, truth, 1, calls.length) / USD,
    chargedUsd: report(truth),
    excessUsd: report(multiply(truth, EXCESS)),
    estimatedUsd: charge(operation.estimate(sent, 0, null)).bill.costNanoUsd / USD,
  };
}

function multiply(amounts: Amounts, by: number): Amounts {
  const product = { ...amounts };
  for (let time = 1; time < by; time++) Object.assign(product, addAmounts(product, amounts));
  return product;
}

/** A report of these amounts, in the forms of chat and of the other operations. */
function writeUsage(amounts: Amounts) {
  const { prompt, completion, searches } = amounts;
  const chat = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    terms: {},
    server_tool_use: { web_search_requests: searches },
  };
  return { ...chat, amounts };
}
