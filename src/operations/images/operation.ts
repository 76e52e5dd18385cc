// Images as an operation: creates pictures from a description.
import type { ModelCard } from "../../core/card.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/units.ts";
import { type Operation, shareAnswers } from "../operation.ts";
import { estimateTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import type { ImagesForm, ImagesReply, ImagesRequest } from "./form.ts";

/** Output tokens of a square picture and a longer one (OpenAI, "Image generation", cost and latency). */
const TOKENS: Readonly<Record<string, readonly [square: number, long: number]>> = {
  low: [272, 408],
  medium: [1056, 1584],
  high: [4160, 6240],
};
/** Newer models have qualities above `high`. */
const TOKENS_HIGHEST = [8320, 12_480] as const;
/** An input picture read with high fidelity. */
const [SOURCE_TOKENS_WORST, SOURCE_TOKENS] = [6500, 1000];
/** Recorded: the provider adds about six tokens to the prompt. */
const WRAPPING_TOKENS = 8;
/** OpenAI, "Image generation": each draft takes this many more tokens. */
const DRAFT_TOKENS = 100;
/** The most fields of an answer, and of a picture in it. */
const [ANSWER_ELEMENTS, PICTURE_ELEMENTS] = [1000, 100];
const SQUARE = /^(\d+)x\1$/;

export const IMAGES: Operation<ImagesForm> = makeWholeOperation({
  name: "images",
  words: [
    ...["size", "quality", "background", "outputFormat", "moderation", "style", "responseFormat"],
    ...["inputFidelity", "url"],
  ],
  answerWords: ["b64_json", "url", "size", "quality", "background", "output_format"],
  hasLongTexts: true,
  // A draft may take as long as another model's whole picture.
  isSlow: true,
  countBytes: (piece) => (piece.kind === "reply" ? countBase64(piece.reply) : 0),
  countElements: ({ n }) => ANSWER_ELEMENTS + n * PICTURE_ELEMENTS,
  countReply: ({ pictures }) => pictures.length,
  findCodec: ({ images }) => images ?? null,
  countAnswers: ({ n }) => n,
  countWorst: (ask, card) => count(ask, SOURCE_TOKENS_WORST, countWorstPictureTokens(ask, card)),
  countLikely: (ask) => count(ask, SOURCE_TOKENS, countPictureTokens(ask, ask.quality ?? "medium")),
  split: (ask, picturesPerCall) => shareAnswers(ask.n, picturesPerCall).map((n) => ({ ...ask, n })),
  join: (replies) => ({
    usage: null,
    pictures: replies.flatMap(({ pictures }) => pictures),
    settings: replies[0]?.settings ?? {},
  }),
  identify: ({ stream: _stream, partialImages: _drafts, ...ask }) => Object.fromEntries(Object.entries(ask)),
  toLog({ prompt, ...request }) {
    return { request: Object.fromEntries(Object.entries(request)), messages: [prompt] };
  },
  content: "pictures",
});

function countBase64({ pictures }: ImagesReply): number {
  return pictures.reduce((sum, { b64_json }) => sum + (b64_json?.length ?? 0), 0);
}

function count(ask: ImagesRequest, perSource: number, perPicture: number): Amounts {
  const { prompt, n, sources, mask, partialImages = 0 } = ask;
  const inputImage = (sources.length + (mask ? 1 : 0)) * perSource;
  const outputImage = n * (perPicture + partialImages * DRAFT_TOKENS);
  const text = WRAPPING_TOKENS + estimateTextTokens(2 * Buffer.byteLength(prompt));
  return {
    ...NO_AMOUNTS,
    prompt: text + inputImage,
    inputImage,
    completion: outputImage,
    outputImage,
    images: n,
  };
}

/** If the model chooses the quality, it may be the highest. */
function countWorstPictureTokens(ask: ImagesRequest, { name }: ModelCard): number {
  const isPlain = ask.quality !== undefined && ask.quality in TOKENS;
  return isPlain || /^gpt-image-1/.test(name)
    ? countPictureTokens(ask, ask.quality ?? "high")
    : countPictureTokens(ask, "highest");
}

function countPictureTokens({ size = "auto" }: ImagesRequest, quality: string): number {
  const [square, long] = TOKENS[quality] ?? TOKENS_HIGHEST;
  return SQUARE.test(size) ? square : long;
}
