// Checks requests beyond chat as strictly as the real providers do: unknown fields, wrong types and too many inputs are refused.

import { isObject } from "../../src/core/json/json.ts";
import type { DialectName } from "../../src/core/models/dialect-names.ts";
import type { Incoming } from "../../src/simulator/types.ts";
import {
  type Check,
  checkChoice,
  type Fields,
  flag,
  integer,
  list,
  matching,
  number,
  shape,
  text,
  textOr,
  variant,
} from "./validator.ts";

const filled = matching(/[\s\S]/);
const tokens = list(integer(0), 1);

/** Texts or token ids, one or several. */
function inputs(most: number, takesTokens: boolean): Check {
  return (value, path) => {
    const [first] = Array.isArray(value) ? value : [];
    if (takesTokens && typeof first === "number") return tokens(value, path);
    const each = takesTokens && Array.isArray(first) ? tokens : filled;
    textOr(list(each, 1, most))(value, path);
    if (typeof value === "string") filled(value, path);
  };
}

function strict(fields: Fields, required: readonly string[]): Check {
  return shape({ model: filled, ...fields }, { required: ["model", ...required] });
}

function open(fields: Fields, required: readonly string[]): Check {
  return shape({ model: filled, ...fields }, { required: ["model", ...required], open: true });
}

const image = shape({ url: filled, detail: text }, { required: ["url"] });
const parts = list(
  variant("type", {
    text: shape({ type: text, text }, { required: ["text"] }),
    image_url: shape({ type: text, image_url: image }, { required: ["image_url"] }),
  }),
  1,
);
const judged: Check = (value, path) => {
  const [first] = Array.isArray(value) ? value : [];
  textOr(isObject(first) ? parts : list(text, 1))(value, path);
};

const documents = list(text, 1, 1000);
const ranking = { query: filled, documents };
const size = integer(1, 4096);

const EMBED_KINDS = checkChoice("search_query", "search_document", "classification", "clustering");
const geminiPart = shape({ text: filled }, { required: ["text"] });
const geminiRequest = shape(
  {
    model: matching(/^models\/./),
    content: shape({ parts: list(geminiPart, 1) }, { required: ["parts"] }),
    taskType: matching(/^[A-Z_]+$/),
    // Gemini API reference, `EmbedContentRequest`.
    title: text,
    outputDimensionality: size,
  },
  { required: ["model", "content"] },
);

const ranked = (field: string, more: Fields = {}) =>
  strict({ ...ranking, [field]: integer(1), ...more }, ["query", "documents"]);

const drafts = { stream: flag, partial_images: integer(0, 3) };
const recorded = { file: shape({ filename: filled, bytes: integer(1) }, {}) };

/** For each dialect, the last step of the path and its check. */
const CHECKS: Readonly<Partial<Record<DialectName, Readonly<Record<string, Check>>>>> = {
  openai: {
    embeddings: strict(
      {
        input: inputs(2048, true),
        dimensions: size,
        encoding_format: checkChoice("float", "base64"),
        user: text,
      },
      ["input"],
    ),
    // OpenAI itself has no rerank, and other servers have further fields.
    rerank: shape(
      { model: filled, ...ranking, top_n: integer(1) },
      { required: ["model", "query", "documents"], open: true },
    ),
    moderations: strict({ input: judged }, ["input"]),
    // Servers with other models accept more sizes and voices than OpenAI.
    generations: open({ prompt: filled, n: integer(1, 10), ...drafts }, ["prompt"]),
    edits: open({ prompt: text }, ["prompt"]),
    speech: open({ input: filled, speed: number(0.25, 4), stream_format: checkChoice("audio", "sse") }, [
      "input",
    ]),
    transcriptions: open({ ...recorded, stream: checkChoice("true") }, ["file"]),
    translations: open(recorded, ["file"]),
    completions: open({ n: integer(1, 128), max_tokens: integer(0), stream: flag, echo: flag }, ["prompt"]),
  },
  mistral: {
    embeddings: strict(
      { input: inputs(256, false), output_dimension: size, encoding_format: checkChoice("float") },
      ["input"],
    ),
    moderations: strict({ input: textOr(list(text, 1)) }, ["input"]),
  },
  gemini: {
    batchEmbedContents: shape({ requests: list(geminiRequest, 1, 100) }, { required: ["requests"] }),
  },
  cohere: {
    embed: strict(
      {
        texts: list(filled, 1, 96),
        input_type: EMBED_KINDS,
        embedding_types: list(checkChoice("float"), 1),
        output_dimension: checkChoice(256, 512, 1024, 1536),
        truncate: checkChoice("NONE", "START", "END"),
        max_tokens: integer(1),
      },
      ["texts", "input_type"],
    ),
    rerank: ranked("top_n", { max_tokens_per_doc: integer(1) }),
  },
  voyage: {
    embeddings: strict(
      {
        input: inputs(1000, false),
        input_type: checkChoice("query", "document"),
        truncation: flag,
        output_dimension: checkChoice(256, 512, 1024, 2048),
        encoding_format: checkChoice("base64"),
      },
      ["input"],
    ),
    rerank: ranked("top_k", { truncation: flag }),
  },
  jina: {
    embeddings: strict(
      {
        input: inputs(512, false),
        task: text,
        dimensions: size,
        truncate: flag,
        late_chunking: flag,
        normalized: flag,
        embedding_type: checkChoice("float", "base64", "binary", "ubinary"),
      },
      ["input"],
    ),
    rerank: ranked("top_n", { return_documents: flag, threshold: number() }),
  },
};

/** Checks a request beyond chat. Returns false for a chat request. */
export function checkWholeRequest(dialect: DialectName, { path, body }: Incoming): boolean {
  const verb = path.startsWith("/chat/") ? "" : (path.split(/[/:]/).at(-1) ?? "");
  const check = CHECKS[dialect]?.[verb];
  check?.(body, []);
  return check !== undefined;
}
