// The most that a provider can truthfully bill for a call, read from the call itself: independent of the gateway's own
// estimates, which are made before it is written.

import { asArray, asNumber, asObject, asString, type JsonObject } from "../../src/core/json/json.ts";
import type { ModelCard, OperationName } from "../../src/core/models/card.ts";
import type { Outgoing } from "../../src/core/models/dialect.ts";
import { type Amounts, NO_AMOUNTS } from "../../src/core/money/units.ts";

/** Measured with o200k: punctuation, base64 and UUIDs; half of the tokenizers keep each digit separate. */
const BYTES_PER_TOKEN = 1.5;

function countTokens(text: string): number {
  const digits = text.match(/[0-9]/g)?.length ?? 0;
  return Math.ceil(digits + (Buffer.byteLength(text) - digits) / BYTES_PER_TOKEN);
}

/** Returns every text within a value. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

function sumTokens(value: unknown): number {
  return listTexts(value).reduce((sum, text) => sum + countTokens(text), 0);
}

/** Returns the first number under one of these names, at any depth. */
function findNumber(value: unknown, names: readonly string[]): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, held] of Object.entries(value)) {
    const found = names.includes(name) ? asNumber(held) : findNumber(held, names);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Bill = (body: JsonObject, card: ModelCard) => Amounts;

const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"];
const WRAPPING_TOKENS = 4;
/** Perplexity, `max_steps`: an agent searches up to ten times. */
const SEARCHES = 10;
const SEARCHED_TOKENS = 1400;
const SEARCHING = /sonar|"web_search|"enable_search":true|"search_[a-z_]+"|"googleSearch"/;

function billChat(body: JsonObject, card: ModelCard): Amounts {
  const { messages, prompt, contents, input, system, tools, systemInstruction, toolConfig } = body;
  const read = [messages, prompt, contents, input, system, tools, systemInstruction, toolConfig];
  const limit = findNumber(body, LIMITS) ?? card.outputTokensMax ?? 0;
  const prompts = Array.isArray(prompt) ? prompt.length : 1;
  const choices = prompts * (findNumber(body, ["best_of"]) ?? findNumber(body, ["n", "candidateCount"]) ?? 1);
  const isOff = body.disable_search === true || body.max_tool_calls === 0;
  const searches = !isOff && SEARCHING.test(JSON.stringify([body, card.name])) ? SEARCHES : 0;
  const promptTokens = sumTokens(read) + WRAPPING_TOKENS + searches * SEARCHED_TOKENS;
  return { ...NO_AMOUNTS, prompt: promptTokens, completion: choices * limit, searches };
}

/** Each document is read with the query, up to the model's context or the length that the call names. */
function billRerank(body: JsonObject, { contextTokensMax }: ModelCard): Amounts {
  const texts = asArray(body.documents ?? body.passages ?? body.records).map(listTexts);
  const query = sumTokens(asArray(body.queries)[0] ?? body.query);
  const cut = findNumber(body, ["max_tokens_per_doc"]) ?? Number.POSITIVE_INFINITY;
  const context = contextTokensMax ?? Number.POSITIVE_INFINITY;
  const documents = texts.map((each) => query + Math.min(cut, sumTokens(each)));
  const pieces = documents.reduce((sum, tokens) => sum + Math.ceil(tokens / 500), 0);
  const prompt = documents.reduce((sum, tokens) => sum + Math.min(context, tokens), 0);
  return { ...NO_AMOUNTS, prompt, searchUnits: Math.ceil(pieces / 100) };
}

/** Google's newer models read the kind and the title as words before the text: about nine tokens. */
const KIND_TOKENS = 9;

function billEmbeddings(body: JsonObject, { contextTokensMax }: ModelCard): Amounts {
  const nova = asObject(asObject(body.singleEmbeddingParams).text).value;
  const given = body.input ??
    body.texts ??
    body.requests ??
    body.instances ??
    body.inputText ??
    nova ?? [body];
  const inputs = typeof given === "string" ? [given] : asArray(given);
  const context = contextTokensMax ?? Number.POSITIVE_INFINITY;
  const counts = inputs.map((input) => {
    const { content, title } = asObject(input);
    return Math.min(context, sumTokens(content === undefined ? input : [content, title]) + KIND_TOKENS);
  });
  return { ...NO_AMOUNTS, prompt: counts.reduce((sum, count) => sum + count, 0) };
}

const SQUARE = 1024 * 1024;
const SQUARE_TOKENS = new Map([
  ["low", 272],
  ["medium", 1056],
  ["high", 4160],
]);
/** ai.google.dev, "Image generation": 1,120 tokens, and what the model thinks before. */
const GOOGLE_TOKENS = 2000;

/** OpenAI's calculator for gpt-image-2, as its developer forum worked it out (thread 1382699). Its successors may be billed for qualities above high. */
function drawBySteps(quality: string, width: number, height: number): number {
  const steps = new Map([
    ["low", 16],
    ["medium", 48],
    ["high", 96],
  ]).get(quality);
  if (steps === undefined) return 2 * drawBySteps("high", width, height);
  const across = Math.round((steps * Math.min(width, height)) / Math.max(width, height));
  return Math.ceil((steps * across * (2_000_000 + width * height)) / 4_000_000);
}

function billImages(body: JsonObject, { name }: ModelCard): Amounts {
  const images = findNumber(body, ["n", "sampleCount"]) ?? 1;
  // Imagen is priced by the image.
  if (body.instances !== undefined) return { ...NO_AMOUNTS, images };
  const [largest, other] = /^(gpt-image-1|gemini)/.test(name) ? [1536, 1024] : [3840, 2160];
  const sides = (asString(body.size) ?? "").split("x").map(Number).filter(Boolean);
  const [width = largest, height = other] = sides;
  const best = /^gpt-image-(1|2(?!\.))/.test(name) ? "high" : "";
  const quality = asString(body.quality) ?? best;
  const square = SQUARE_TOKENS.get(quality) ?? 8320;
  const drafts = (asNumber(body.partial_images) ?? 0) * 100;
  const drawn = name.startsWith("gpt-image-2")
    ? drawBySteps(quality, width, height)
    : Math.ceil((square * width * height) / SQUARE);
  const own = drawn + drafts;
  const outputImage = images * (body.contents === undefined ? own : GOOGLE_TOKENS);
  const sources = asArray(body.images).length + (body.mask ? 1 : 0);
  const inputImage = sources * 6000;
  const prompt = countTokens(asString(body.prompt) ?? "") + 6 + inputImage;
  return { ...NO_AMOUNTS, prompt, inputImage, completion: outputImage, outputImage, images };
}

/** Speech takes 21 tokens a second. Letters are said at five a second at the slowest, digits at two. */
function billSpeech(body: JsonObject): Amounts {
  const text = asString(body.input) ?? "";
  const digits = text.match(/[0-9]/g)?.length ?? 0;
  const seconds = (1 + (text.length - digits) / 5 + digits / 2) / (asNumber(body.speed) ?? 1);
  const outputAudio = Math.ceil(21 * seconds);
  const prompt = sumTokens([text, body.instructions]) + WRAPPING_TOKENS;
  return { ...NO_AMOUNTS, characters: text.length, prompt, completion: outputAudio, outputAudio };
}

function billModeration({ input }: JsonObject): Amounts {
  const inputs = Array.isArray(input) ? input.length : 1;
  return { ...NO_AMOUNTS, prompt: sumTokens(input) + inputs * 20 };
}

const BILLS: Readonly<Partial<Record<OperationName, Bill>>> = {
  chat: billChat,
  completion: billChat,
  rerank: billRerank,
  embeddings: billEmbeddings,
  images: billImages,
  speech: billSpeech,
  moderation: billModeration,
};

/** Returns the most that a provider can truthfully report for a call. */
export function billCall(operation: OperationName, { body, form }: Outgoing, card: ModelCard): Amounts {
  const bill = BILLS[operation];
  if (bill === undefined) throw new Error(`There is no bill for ${operation}.`);
  return bill(form ? Object.fromEntries(form) : body, card);
}
