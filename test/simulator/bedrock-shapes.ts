// The fields of requests to Bedrock: Converse, embeddings and rerank. Any other field is refused.
import { isObject } from "../../src/core/json/json.ts";
import { formatDottedPath, reject } from "../../src/simulator/problem.ts";
import type { Check, Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => is.shape(fields, { required });

/** An object with exactly one of the fields, of the vendor's type of that name. */
const one =
  (type: string, fields: Fields): Check =>
  (value, path) => {
    is.record(value, path);
    if (isObject(value) && Object.keys(value).length !== 1)
      reject(
        "value",
        `${type} object at ${formatDottedPath(path)} must set one of the following keys: ${Object.keys(fields).join(", ")}.`,
      );
    of(fields)(value, path);
  };

const fullText: Check = (value, path) => {
  is.text(value, path);
  if (String(value).trim() === "")
    reject(
      "value",
      `The text field in the ContentBlock object at ${formatDottedPath(path.slice(0, -1))} is blank. Add text to the text field, and try again.`,
    );
};
const toolId = is.matching(/^[a-zA-Z0-9_-]{1,64}$/);
const toolName = is.matching(/^[a-zA-Z0-9_-]{1,64}$/);
const bytes = of({ bytes: is.base64 }, ["bytes"]);
const text = { text: fullText };
const image = {
  image: of({ format: is.checkChoice("png", "jpeg", "gif", "webp"), source: bytes }, ["format", "source"]),
};
const document = {
  document: of(
    {
      format: is.checkChoice("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"),
      name: is.matching(/^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/),
      source: bytes,
    },
    ["format", "name", "source"],
  ),
};
const cachePoint = {
  cachePoint: of({ type: is.checkChoice("default"), ttl: is.checkChoice("5m", "1h") }, ["type"]),
};
const toolResult = of(
  {
    toolUseId: toolId,
    content: is.list(one("ToolResultContentBlock", { ...text, ...image, ...document, json: is.anything }), 1),
    status: is.checkChoice("success", "error"),
  },
  ["toolUseId", "content"],
);
const userBlock = one("ContentBlock", { ...text, ...image, ...document, ...cachePoint, toolResult });
const reasoningText = of({ text: is.text, signature: is.text }, ["text"]);
const assistantBlock = one("ContentBlock", {
  ...text,
  ...cachePoint,
  toolUse: of({ toolUseId: toolId, name: toolName, input: is.record }, ["toolUseId", "name", "input"]),
  reasoningContent: one("ReasoningContentBlock", { reasoningText, redactedContent: is.base64 }),
});
const message = is.variant("role", {
  user: of({ role: is.anything, content: is.list(userBlock, 1) }, ["content"]),
  assistant: of({ role: is.anything, content: is.list(assistantBlock, 1) }, ["content"]),
});
const schema: Check = (value, path) => {
  of({ json: is.record }, ["json"])(value, path);
  const json: unknown = isObject(value) ? value.json : undefined;
  if (!isObject(json) || json.type !== "object")
    reject(
      "value",
      `The value at ${formatDottedPath([...path, "json", "type"])} must be one of the following: object.`,
    );
};
const toolSpec = of(
  { name: toolName, description: is.matching(/\S/), inputSchema: schema, strict: is.flag },
  ["name", "inputSchema"],
);
const jsonSchema = of({ schema: is.text, name: is.text, description: is.text }, ["schema"]);

/** The fields of a Converse request, on every level ("Amazon Bedrock API reference: Converse"). */
export const CONVERSE_REQUEST = of(
  {
    messages: is.list(message, 1),
    system: is.list(one("SystemContentBlock", { ...text, ...cachePoint }), 1),
    inferenceConfig: of({
      maxTokens: is.integer(1),
      temperature: is.number(0, 1),
      topP: is.number(0, 1),
      stopSequences: is.list(is.matching(/^.+$/s)),
    }),
    toolConfig: of(
      {
        tools: is.list(one("Tool", { toolSpec, ...cachePoint }), 1),
        toolChoice: one("ToolChoice", { auto: of({}), any: of({}), tool: of({ name: is.text }, ["name"]) }),
      },
      ["tools"],
    ),
    additionalModelRequestFields: is.record,
    guardrailConfig: of({
      guardrailIdentifier: is.matching(/^[a-z0-9]+$/),
      guardrailVersion: is.matching(/^([1-9]\d{0,7}|DRAFT)$/),
    }),
    outputConfig: of({
      textFormat: of({ type: is.checkChoice("json_schema"), structure: of({ jsonSchema }, ["jsonSchema"]) }, [
        "type",
        "structure",
      ]),
    }),
  },
  ["messages"],
);

const inputText = is.matching(/[\s\S]/);
/** Embeddings of Titan's second version, one text per call. */
export const TITAN_EMBEDDINGS = of(
  {
    inputText,
    dimensions: is.checkChoice(256, 512, 1024),
    normalize: is.flag,
    embeddingTypes: is.list(is.checkChoice("float", "binary")),
  },
  ["inputText"],
);
export const TITAN_FIRST_EMBEDDINGS = of({ inputText }, ["inputText"]);
export const NOVA_EMBEDDINGS = of(
  {
    taskType: is.checkChoice("SINGLE_EMBEDDING"),
    singleEmbeddingParams: of(
      {
        embeddingPurpose: is.checkChoice(
          "GENERIC_INDEX",
          "GENERIC_RETRIEVAL",
          "CLASSIFICATION",
          "CLUSTERING",
        ),
        embeddingDimension: is.checkChoice(256, 384, 1024, 3072),
        text: of({ value: inputText, truncationMode: is.checkChoice("START", "END", "NONE") }, [
          "value",
          "truncationMode",
        ]),
      },
      ["embeddingPurpose", "text"],
    ),
  },
  ["taskType", "singleEmbeddingParams"],
);
export const COHERE_EMBEDDINGS = of(
  {
    texts: is.list(inputText, 1, 96),
    input_type: is.checkChoice("search_document", "search_query", "classification", "clustering"),
    truncate: is.checkChoice("NONE", "START", "END"),
    embedding_types: is.list(is.checkChoice("float")),
    output_dimension: is.checkChoice(256, 512, 1024, 1536),
    max_tokens: is.integer(1),
  },
  ["texts", "input_type"],
);
export const COHERE_RERANK = of(
  {
    api_version: is.integer(2),
    query: inputText,
    documents: is.list(is.text, 1, 1000),
    top_n: is.integer(1),
    max_tokens_per_doc: is.integer(1),
  },
  ["api_version", "query", "documents"],
);
