// The providers' codecs for completions, images, speech and transcriptions, each with its server's differences.
import {
  DEEPSEEK_COMPLETION,
  MISTRAL_COMPLETION,
  makeCompletion,
  OPENAI_COMPLETION,
} from "../dialects/openai/completion.ts";
import { makeImages, OPENAI_IMAGES, OPENROUTER_IMAGES, XAI_IMAGES } from "../dialects/openai/images.ts";
import { MISTRAL_SPEECH, makeSpeech, OPENAI_SPEECH } from "../dialects/openai/speech.ts";
import {
  AZURE_TRANSCRIPTION,
  GROQ_TRANSCRIPTION,
  MISTRAL_TRANSCRIPTION,
  makeTranscription,
  OPENAI_TRANSCRIPTION,
  PLAIN_TRANSCRIPTION,
  VLLM_TRANSCRIPTION,
} from "../dialects/openai/transcription.ts";
import { EXTRA_FIELDS } from "./extra-fields.ts";

const { compatible, fireworks, groq, openrouter, together, xai } = EXTRA_FIELDS;

/** OpenAI's form with fields that the server documents beside OpenAI's. */
function extend<Quirks extends { readonly passes: readonly string[] }>(
  quirks: Quirks,
  fields: readonly string[],
): Quirks {
  return { ...quirks, passes: [...quirks.passes, ...fields] };
}

export const OPENAI_MEDIA = {
  completion: makeCompletion(OPENAI_COMPLETION),
  images: makeImages(OPENAI_IMAGES),
  speech: makeSpeech(OPENAI_SPEECH),
  transcription: makeTranscription(OPENAI_TRANSCRIPTION),
};
export const AZURE_MEDIA = { ...OPENAI_MEDIA, transcription: makeTranscription(AZURE_TRANSCRIPTION) };
/** Any of the operator's own servers. */
export const PLAIN_MEDIA = {
  completion: makeCompletion(extend(OPENAI_COMPLETION, compatible.completion)),
  images: makeImages(extend(OPENAI_IMAGES, compatible.images)),
  speech: makeSpeech(extend(OPENAI_SPEECH, compatible.speech)),
  transcription: makeTranscription(extend(PLAIN_TRANSCRIPTION, compatible.transcription)),
};
export const VLLM_MEDIA = {
  transcription: makeTranscription(extend(VLLM_TRANSCRIPTION, compatible.transcription)),
};
export const MISTRAL_MEDIA = {
  completion: makeCompletion(MISTRAL_COMPLETION),
  speech: makeSpeech(MISTRAL_SPEECH),
  transcription: makeTranscription(MISTRAL_TRANSCRIPTION),
};
export const DEEPSEEK_MEDIA = { completion: makeCompletion(DEEPSEEK_COMPLETION) };
export const XAI_MEDIA = { images: makeImages({ ...XAI_IMAGES, passes: xai.images }) };
export const GROQ_MEDIA = {
  speech: makeSpeech({ ...OPENAI_SPEECH, passes: groq.speech }),
  transcription: makeTranscription(GROQ_TRANSCRIPTION),
};
export const TOGETHER_MEDIA = { completion: makeCompletion(extend(OPENAI_COMPLETION, together.completion)) };
export const FIREWORKS_MEDIA = {
  completion: makeCompletion(extend(OPENAI_COMPLETION, fireworks.completion)),
};
export const OPENROUTER_MEDIA = {
  images: makeImages({ ...OPENROUTER_IMAGES, passes: openrouter.images }),
  speech: makeSpeech(OPENAI_SPEECH),
};
