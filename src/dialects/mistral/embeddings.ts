// Mistral's embeddings: OpenAI's form with other names, and strict about what it doesn't know.
import type { EmbeddingsQuirks } from "../_whole/embeddings.ts";

/** docs.mistral.ai, "Embeddings"; recorded: 257 texts are refused, and so are more than 16,384 tokens in one call. */
export const MISTRAL_EMBEDDINGS: EmbeddingsQuirks = {
  givesBase64: false,
  encodingField: "encoding_format",
  dimensionsField: "output_dimension",
  inputType: null,
  truncation: null,
  takesTokenIds: false,
  passes: ["metadata"],
  inputsMax: 256,
  tokensMax: () => 16_384,
};
