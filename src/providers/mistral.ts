// Mistral.
import { makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeModeration } from "../dialects/_whole/moderation.ts";
import { mistral } from "../dialects/mistral/dialect.ts";
import { EXTRA_FIELDS } from "../dialects/mistral/encode.ts";
import { MISTRAL_COMPLETION, makeCompletion } from "../dialects/openai/completion.ts";
import { MISTRAL_SPEECH, makeSpeech } from "../dialects/openai/speech.ts";
import { MISTRAL_TRANSCRIPTION, makeTranscription } from "../dialects/openai/transcription.ts";
import type { ProviderRow } from "./provider.ts";

const EMBEDDINGS_FIELDS = ["metadata"];

/** docs.mistral.ai, "Embeddings"; recorded: 257 texts per call are refused, and so are more than 16,384 tokens. */
const VECTORS = {
  embeddings: makeEmbeddings({
    encodingField: "encoding_format",
    dimensionsField: "output_dimension",
    passes: EMBEDDINGS_FIELDS,
    inputsMax: 256,
    tokensMax: () => 16_384,
  }),
  moderation: makeModeration({ takesParts: false }),
};

const MEDIA = {
  completion: makeCompletion(MISTRAL_COMPLETION),
  speech: makeSpeech(MISTRAL_SPEECH),
  transcription: makeTranscription(MISTRAL_TRANSCRIPTION),
};

export const MISTRAL_DIALECT = { ...mistral, ...VECTORS, ...MEDIA };

export const MISTRAL: ProviderRow = {
  name: "Mistral",
  source: {
    reference: "https://github.com/mistralai/platform-docs-public/blob/main/public/openapi.yaml",
    seen: "2026-11",
  },
  familyNames: /./,
  keyVariables: ["MISTRAL_API_KEY"],
  baseUrl: "https://api.mistral.ai/v1",
  extraFields: { chat: EXTRA_FIELDS, embeddings: EMBEDDINGS_FIELDS },
  keyList: { path: "/models", keyHeader: "authorization" },
  dialects: [MISTRAL_DIALECT],
};
