// The embeddings of OpenAI and of the servers that speak its form, each with its differences.
import type { EmbeddingsQuirks } from "../_whole/embeddings.ts";

/** OpenAI API reference, "Create embeddings". */
export const OPENAI_EMBEDDINGS: EmbeddingsQuirks = {
  givesBase64: true,
  encodingField: "encoding_format",
  dimensionsField: "dimensions",
  inputType: null,
  truncation: null,
  takesTokenIds: true,
  passes: "all",
  inputsMax: 2048,
};

/** Any other server: some gave base64 of 64-bit floats (vLLM of 2024), which reads as twice as many wrong numbers. */
export const PLAIN_EMBEDDINGS: EmbeddingsQuirks = { ...OPENAI_EMBEDDINGS, givesBase64: false };

/** openrouter.ai/docs: it passes the kind of text on to models that have it. */
export const OPENROUTER_EMBEDDINGS: EmbeddingsQuirks = {
  ...PLAIN_EMBEDDINGS,
  inputType: {
    field: "input_type",
    words: {
      query: "search_query",
      document: "search_document",
      classification: "classification",
      clustering: "clustering",
    },
  },
};

/** DeepInfra's API takes at most 1,024 texts at once. */
export const DEEPINFRA_EMBEDDINGS: EmbeddingsQuirks = { ...PLAIN_EMBEDDINGS, inputsMax: 1024 };

/** NeMo Retriever API reference: most models require the kind of text, of which there are two. */
export const NVIDIA_EMBEDDINGS: EmbeddingsQuirks = {
  ...PLAIN_EMBEDDINGS,
  inputType: {
    field: "input_type",
    words: { query: "query", document: "passage", classification: "passage", clustering: "passage" },
    standard: "passage",
  },
  truncation: { field: "truncate", words: { none: "NONE", start: "START", end: "END" } },
  takesTokenIds: false,
  passes: ["user"],
};
