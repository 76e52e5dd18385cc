// Estimates a prompt's tokens: high for the hold before a call, average if no provider reported a count.
import type { ModelCard } from "../../core/models/card.ts";
import { remember } from "../../core/world/remember.ts";
import { BYTES_PER_TOKEN, CONTEXT_SLACK } from "../text-tokens.ts";
import type { ChatRequest } from "./form.ts";
import { readToolName, searchesMax } from "./prompt/searches.ts";
import { hasFormat, MEDIA_KINDS, type MediaKind, measureSizes, type Sizes } from "./sizes.ts";

/** Measured with o200k: prose has 4 to 6 bytes per token, JSON 2.3 to 2.9, UUIDs, base64 and punctuation 1.5. */
const BYTES_PER_TOKEN_MIN = 1.4;
/**
 * Signatures and encrypted thinking, which only their maker reads. Recorded: 5 at Gemini, 11 at OpenAI, usually none.
 */
const SEALED_BYTES_PER_TOKEN_MIN = 4;
const SEALED_BYTES_PER_TOKEN = 10;

/** Tokens per piece, and per decoded kilobyte of it. */
interface TokenRate {
  readonly each: number;
  readonly perKilobyte: number;
}
/**
 * At worst; images are in FAMILIES. Sound: Gemini counts 32 tokens a second (ai.google.dev/gemini-api/docs/tokens), a
 * kilobyte at 8 kbit/s and 3 kB of the poorest WAV; Voxtral fills up to 30 s, 375 tokens (recorded). Video: 263 tokens a
 * second (same page), a kilobyte of a still scene. Documents: a page of a PDF is an image and up to 3,000 tokens of text
 * (docs.anthropic.com/en/docs/build-with-claude/pdf-support), in some 5 kB or more.
 */
const WORST_MEDIA: Readonly<Partial<Record<MediaKind, TokenRate>>> = {
  wav: { each: 500, perKilobyte: 10 },
  audio: { each: 500, perKilobyte: 50 },
  video: { each: 1000, perKilobyte: 300 },
  document: { each: 5000, perKilobyte: 600 },
};
/** Typical sizes: a one-megapixel image, audio at 64 kbit/s, a PDF with 20 kB per page. */
const LIKELY_MEDIA: Readonly<Partial<Record<MediaKind, TokenRate>>> = {
  image: { each: 800, perKilobyte: 0 },
  wav: { each: 0, perKilobyte: 1 },
  audio: { each: 0, perKilobyte: 4 },
  video: { each: 0, perKilobyte: 5 },
  document: { each: 500, perKilobyte: 30 },
};
/** A file stored or fetched by the provider: its size is unknown, so at worst it fills the context. */
const LIKELY_REMOTE_FILE = 5000;
const CONTEXT_UNKNOWN = 1_000_000;

/** Tokens added by a provider's template per message and per tool, and for an answer's schema. */
const MESSAGE_TOKENS = 12;
const LIKELY_MESSAGE_TOKENS = 4;
const TOOL_TOKENS = 30;
const SCHEMA_TOKENS = 300;

interface TokenFamily {
  /** The largest image. */
  readonly image: number;
  /** Tokens that the provider adds to every prompt, and more if there are tools. */
  readonly base: number;
  readonly tools: number;
}
const OTHERS: TokenFamily = { image: 4200, base: 100, tools: 700 };
/**
 * The differences, by `<provider>#<name>` in lower case; the first that matches. The sizes of hidden prompts were recorded. Images:
 * - platform.claude.com/docs/en/build-with-claude/vision: 4,784 from Opus 4.7 and Sonnet 5 on, 1,568 before.
 * - OpenAI, "Images and vision": gpt-4o-mini 2,833 + 8 tiles of 5,667, other models of tiles 85 + 8 × 170, small newer
 *   ones 1,536 patches × 2.46, large newer ones 10,000 patches in the original's detail.
 * - ai.google.dev/gemini-api/docs/media-resolution: 2,240; tiles of 258 in old models.
 * - 1,792 at xAI, 16,384 in Qwen's processors, 64 × 65 in Pixtral, 13 tiles of 256 at Cohere.
 */
const FAMILIES: readonly (Partial<TokenFamily> & { readonly names: RegExp })[] = [
  { names: /claude-(fable|mythos|(opus|sonnet|haiku)-(4[.-][7-9]|[5-9]|\d\d))/, image: 4800, tools: 900 },
  { names: /claude/, image: 1600 },
  { names: /gpt-4o-mini/, image: 48_200, tools: 100 },
  { names: /gpt-.*(mini|nano)|o4-mini/, image: 3800, tools: 100 },
  { names: /gpt-(5\.[4-9]|[6-9]|\d\d)/, image: 10_000, tools: 100 },
  { names: /openai#|[#/]gpt-\d/, image: 1500, tools: 100 },
  { names: /gemini|google#/, image: 2600, tools: 100 },
  { names: /cohere#|command-/, image: 3400 },
  { names: /grok|xai#/, image: 1800, base: 1000 },
  { names: /qwen/, image: 16_400 },
];

/** Matching the names each time would cost half a microsecond. */
const findFamily = remember((card: ModelCard): TokenFamily => {
  const id = readToolName(card);
  return { ...OTHERS, ...FAMILIES.find(({ names }) => names.test(id)) };
});

/** The prompt tokens added by a search. Recorded: from 1,400 to 9,000, and less per search the more there are. */
const SEARCH_TOKENS = 5000;

/**
 * Returns a number of prompt tokens that the provider's count will hardly exceed, for one choice: multiply by `n`.
 * Reads each text once without copying. `unreadBytes` is text sent with the request but not part of it, `searches`
 * the most that the provider may run.
 */
export function estimateWorstPromptTokens(
  request: ChatRequest,
  card: ModelCard,
  unreadBytes = 0,
  searches = searchesMax(request, card),
): number {
  const sizes = measureSizes(request);
  const context = (card.contextTokensMax ?? Number.POSITIVE_INFINITY) * CONTEXT_SLACK;
  const tokens = countWorst(request, sizes, card) + unreadBytes / BYTES_PER_TOKEN_MIN;
  // Neither is bounded by the context: gpt-4o-mini bills more for an image than it reads, and agents read again at each
  // step.
  return Math.ceil(Math.min(tokens, context) + countWorstImages(sizes, card) + countWorstSearches(searches));
}

/** Returns the part of it that the next turn of a conversation repeats, without the context's bound. */
export function estimateRepeatedTokens(request: ChatRequest, card: ModelCard): number {
  const sizes = measureSizes(request);
  return Math.ceil(countWorst(request, sizes, card) + countWorstImages(sizes, card));
}

/** Returns the part of it that no earlier turn had. */
export function estimateUnrepeatedTokens(unreadBytes: number, searches: number): number {
  return Math.ceil(unreadBytes / BYTES_PER_TOKEN_MIN + countWorstSearches(searches));
}

function countWorst(request: ChatRequest, sizes: Sizes, card: ModelCard): number {
  const family = findFamily(card);
  let tokens = family.base + MESSAGE_TOKENS * sizes.messages + TOOL_TOKENS * sizes.tools;
  tokens += (sizes.tools > 0 ? family.tools : 0) + (hasFormat(request) ? SCHEMA_TOKENS : 0);
  tokens += sizes.denseBytes + (sizes.textBytes - sizes.denseBytes) / BYTES_PER_TOKEN_MIN;
  tokens += sizes.sealedBytes / SEALED_BYTES_PER_TOKEN_MIN + countMediaTokens(sizes, WORST_MEDIA);
  return sizes.remoteFiles > 0 ? tokens + (card.contextTokensMax ?? CONTEXT_UNKNOWN) : tokens;
}

function countWorstImages(sizes: Sizes, card: ModelCard): number {
  return findFamily(card).image * sizes.media.image.pieces;
}

function countWorstSearches(searches: number): number {
  return SEARCH_TOKENS * searches;
}

/** Returns the expected number of prompt tokens, to charge if the provider reported none. */
export function estimatePromptTokens(request: ChatRequest): number {
  const sizes = measureSizes(request);
  const inText = sizes.textBytes / BYTES_PER_TOKEN + sizes.sealedBytes / SEALED_BYTES_PER_TOKEN;
  const inMedia = countMediaTokens(sizes, LIKELY_MEDIA) + LIKELY_REMOTE_FILE * sizes.remoteFiles;
  return Math.ceil(inText + inMedia + LIKELY_MESSAGE_TOKENS * sizes.messages);
}

function countMediaTokens({ media }: Sizes, rates: Readonly<Partial<Record<MediaKind, TokenRate>>>): number {
  let tokens = 0;
  for (const kind of MEDIA_KINDS) {
    const rate = rates[kind];
    if (rate) tokens += rate.each * media[kind].pieces + rate.perKilobyte * (media[kind].bytes / 1000);
  }
  return tokens;
}
