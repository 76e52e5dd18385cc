// The pieces that the files of several providers share.
import { type EmbeddingsQuirks, makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeModeration } from "../dialects/_whole/moderation.ts";
import type { ChatDialect } from "../dialects/dialect.ts";
import { makeCompletion, OPENAI_COMPLETION } from "../dialects/openai/completion.ts";
import { makeImages, OPENAI_IMAGES } from "../dialects/openai/images.ts";
import type { EffortQuirks } from "../dialects/openai/quirks.ts";
import { makeSpeech, OPENAI_SPEECH } from "../dialects/openai/speech.ts";
import { makeTranscription, OPENAI_TRANSCRIPTION } from "../dialects/openai/transcription.ts";
import { completeAnswers } from "../dialects/responses/complete.ts";
import { RESPONSES_LANE } from "../dialects/responses/lane.ts";

export const LOW_TO_HIGH: EffortQuirks = { values: ["low", "medium", "high"] };
export const NONE_TO_HIGH: EffortQuirks = { values: ["none", "low", "medium", "high"] };
export const ALL_EFFORTS: EffortQuirks = {
  values: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
};
export const PENALTIES = ["presence_penalty", "frequency_penalty"];
export const LOGPROBS = ["logprobs", "top_logprobs"];

export type Lanes = NonNullable<ChatDialect["chat"]["lanes"]>;

export function withLane(dialect: ChatDialect, lanes: Lanes): ChatDialect {
  return { ...dialect, chat: { ...dialect.chat, lanes } };
}

/** Clients' own requests of the Responses API pass to servers that speak it. */
export const RESPONSES_LANES: Lanes = { responses: RESPONSES_LANE };
/** Those of servers that may leave out what OpenAI's answers always have. */
export const COMPLETED_LANES: Lanes = { responses: completeAnswers(RESPONSES_LANE) };
/** Claude on somebody else's cloud. */
export const CLAUDE_NAMES = /^claude/;

/** OpenAI's form with fields that the server documents beside OpenAI's. */
export function extend<Quirks extends { readonly passes: readonly string[] }>(
  quirks: Quirks,
  fields: readonly string[],
): Quirks {
  return { ...quirks, passes: [...quirks.passes, ...fields] };
}

export const MODERATION = makeModeration({ takesParts: true });

/** OpenAI API reference, "Create embeddings". */
const OPENAI_EMBEDDINGS: EmbeddingsQuirks = {
  givesBase64: true,
  encodingField: "encoding_format",
  dimensionsField: "dimensions",
  takesTokenIds: true,
  passes: ["user"],
  inputsMax: 2048,
};
/** Any other server: some returned base64 of 64-bit floats (vLLM of 2024), read as twice as many wrong numbers. */
export const PLAIN_EMBEDDINGS: EmbeddingsQuirks = { ...OPENAI_EMBEDDINGS, givesBase64: false };

export const OPENAI_VECTORS = { embeddings: makeEmbeddings(OPENAI_EMBEDDINGS), moderation: MODERATION };
export const OPENAI_MEDIA = {
  completion: makeCompletion(OPENAI_COMPLETION),
  images: makeImages(OPENAI_IMAGES),
  speech: makeSpeech(OPENAI_SPEECH),
  transcription: makeTranscription(OPENAI_TRANSCRIPTION),
};
