// Images as an operation: creates pictures from a description.
import { type Amounts, NO_AMOUNTS } from "../../core/money/units.ts";
import { type Operation, shareAnswers } from "../operation.ts";
import { estimateTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import { type ImagesForm, type ImagesReply, type ImagesRequest, OVERLAYS } from "./form.ts";
import { countLikelyTokens, countWorstTokens } from "./tokens.ts";

/** An input picture read with high fidelity. */
const SOURCE_TOKENS_WORST = 6500;
const SOURCE_TOKENS = 1000;
/** Recorded: the provider adds about six tokens to the prompt. */
const WRAPPING_TOKENS = 8;
/** OpenAI, "Image generation": each draft takes this many more tokens. */
const DRAFT_TOKENS = 100;
/** OpenAI API reference, "Create image": a GIF has this many pictures unless `frame_count` says another number. */
const FRAMES = 9;
/** The most fields of an answer, and of a picture in it. */
const ANSWER_ELEMENTS = 1000;
const PICTURE_ELEMENTS = 100;

export const IMAGES: Operation<ImagesForm> = makeWholeOperation({
  name: "images",
  makes: "pictures",
  words: [
    "size",
    "quality",
    "background",
    "outputFormat",
    "moderation",
    "style",
    "responseFormat",
    "inputFidelity",
    "url",
  ],
  answerWords: ["b64_json", "url", "size", "quality", "background", "output_format"],
  // A draft may take as long as another model's whole picture.
  isSlow: true,
  countBytes: (piece) => (piece.kind === "reply" ? countBase64(piece.reply) : 0),
  countElements: ({ n }) => ANSWER_ELEMENTS + n * PICTURE_ELEMENTS,
  countReply: ({ pictures }) => pictures.length,
  findCodec: ({ images }) => images ?? null,
  countAnswers: ({ n }) => n,
  // No tokenizer makes more tokens than a text has bytes.
  countWorst: (ask, { name }) =>
    count(ask, SOURCE_TOKENS_WORST, countWorstTokens(ask, name), (bytes) => bytes),
  countLikely: (ask) =>
    count(ask, SOURCE_TOKENS, countLikelyTokens(ask.size, ask.quality), estimateTextTokens),
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

function count(
  ask: ImagesRequest,
  perSource: number,
  perPicture: number,
  estimate: (bytes: number) => number,
): Amounts {
  const { prompt, n, sources, partialImages = 0 } = ask;
  const frames = ask.outputFormat === "gif" ? (ask.frameCount ?? FRAMES) : 1;
  const overlays = OVERLAYS.filter((field) => ask[field]).length;
  const inputImage = (sources.length + overlays) * perSource;
  const outputImage = n * (frames * perPicture + partialImages * DRAFT_TOKENS);
  const text = WRAPPING_TOKENS + estimate(Buffer.byteLength(prompt));
  return {
    ...NO_AMOUNTS,
    prompt: text + inputImage,
    inputImage,
    completion: outputImage,
    outputImage,
    images: n,
  };
}
