// Sampling in this process: the models' answers and the judge's come through the gateway, by a key of their own.

import { samplingKey } from "../../admin/keys/console-key.ts";
import type { Sampling } from "../../admin/models/sampling.ts";
import type { Fault } from "../../core/faults/fault.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { completeOnce, readPrompt } from "../../http/models/sampled-call.ts";
import { joinJudgments, readJudgment, writeJudgment } from "../../learning/judging.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { estimateCost } from "../../selectors/expense.ts";
import { readFeatures } from "../../selectors/text/features.ts";
import { nameLabels, teachLabels } from "./learning.ts";
import { planSample, requireCard, requireCards, type SamplingParts } from "./sampled-prompts.ts";

/** An answer has at most this many tokens, with its thinking. */
const ANSWER_TOKENS_MAX = 4096;
/** A prompt takes at most this many times the estimated tokens. */
const PROMPT_SLACK = 2;

/** The origin of an answer, sealed so that a person who scores it doesn't see it. */
interface SealedOrigin {
  readonly model: string;
  readonly prompt: string;
}

export function createSampling(parts: SamplingParts): Sampling {
  return {
    plan: (given, access) => planSample(parts, given, access),
    ask: (given) => ask(parts, given),
    judge: (given) => judge(parts, given),
    score: (given) => score(parts, given),
  };
}

const ask = async (parts: SamplingParts, given: Parameters<Sampling["ask"]>[0]) => {
  const { messages } = readPrompt(parts.ports, given.messages);
  const cards = requireCards(parts, given.models);
  const request = { messages, max_tokens: ANSWER_TOKENS_MAX };
  const worst = cards.reduce((sum, card) => sum + boundCost(parts, card, { ...request, model: card.id }), 0);
  if (worst > given.max_cost_usd) return { answers: [], cost_usd: 0 };
  const prompt = nameLabels({ messages });
  const asked = cards.map(async (card) => {
    const reply = await answerOnce(parts, { ...request, model: card.id });
    return { ...reply, answer: seal(parts, { model: card.id, prompt }) };
  });
  const answers = shuffle(await Promise.all(asked));
  return {
    answers: answers.map(({ answer, text, error }) => ({ answer, text, error })),
    cost_usd: answers.reduce((sum, one) => sum + one.costUsd, 0),
  };
};

const judge = async (parts: SamplingParts, given: Parameters<Sampling["judge"]>[0]) => {
  const { messages } = readPrompt(parts.ports, given.messages);
  const card = requireCard(parts, given.judge, "judge");
  const texts = given.answers.map(({ text }) => text);
  const orders = [texts, texts.toReversed()].map((order) => writeJudgment(card.id, messages, order));
  const worst = orders.reduce((sum, request) => sum + boundCost(parts, card, request), 0);
  if (worst > given.max_cost_usd) return { scores: [], cost_usd: 0 };
  const replies = await Promise.all(orders.map((request) => answerOnce(parts, request)));
  const [first, swapped] = replies.map(({ text }) => readJudgment(text ?? "", texts.length));
  const scores = first && swapped ? joinJudgments(first, swapped) : [];
  return {
    scores: scores.map((one, at) => ({ answer: given.answers[at]?.answer ?? "", score: one })),
    cost_usd: replies.reduce((sum, one) => sum + one.costUsd, 0),
  };
};

const score = async (parts: SamplingParts, given: Parameters<Sampling["score"]>[0]) => {
  const request = readPrompt(parts.ports, given.messages);
  const scored = given.scores.map((one, at) => {
    const { model, prompt } = unseal(parts, one.answer, at);
    if (prompt !== nameLabels(request)) throw refuseAnswer(at);
    return { ...one, card: requireCard(parts, model, "models") };
  });
  const learned = await teachLabels(parts.opened.store, request, scored);
  return {
    learned,
    models: scored.map(({ answer, card, score }) => ({ answer, model: card.id, score })),
  };
};

/** The most that a request with a limit of output should cost, markup included. */
function boundCost({ ports }: SamplingParts, { price }: ModelCard, request: ChatRequest): number {
  if (price === null) return 0;
  const { promptTokens } = readFeatures(request);
  const output = request.max_tokens ?? ANSWER_TOKENS_MAX;
  return ports.snapshot().billing.markup * estimateCost(price, PROMPT_SLACK * promptTokens, 0, output, 0);
}

async function answerOnce({ ports, opened }: SamplingParts, request: ChatRequest) {
  return completeOnce(ports, await samplingKey(opened.world), request);
}

const SEALED_FOR = "default";

function seal({ ports }: SamplingParts, origin: SealedOrigin): string {
  return ports.sealer(SEALED_FOR).seal(JSON.stringify(origin));
}

function unseal({ ports }: SamplingParts, answer: string, at: number): SealedOrigin {
  const { model, prompt } = asObject(parseReceived(ports.sealer(SEALED_FOR).open(answer) ?? ""));
  if (typeof model === "string" && typeof prompt === "string") return { model, prompt };
  throw refuseAnswer(at);
}

function refuseAnswer(at: number): Fault {
  return invalidValue(`scores[${at}].answer`, "expected an answer of a sample of these messages");
}

function shuffle<One>(all: readonly One[]): readonly One[] {
  const drawn = all.map((one) => ({ one, by: Math.random() }));
  return drawn.sort((a, b) => a.by - b.by).map(({ one }) => one);
}
