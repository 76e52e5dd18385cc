// The fields of a request to Anthropic's Messages; any other field is refused.
import { asObject } from "../../src/core/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import {
  anything,
  base64,
  type Check,
  checkChoice,
  type Fields,
  flag,
  IMAGE_TYPES,
  integer,
  list,
  matching,
  number,
  record,
  shape,
  text,
  textOr,
  variant,
} from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => shape(fields, { required });
const cache = of({ type: checkChoice("ephemeral"), ttl: checkChoice("5m", "1h") }, ["type"]);
const toolId = matching(/^[a-zA-Z0-9_-]+$/);
const toolName = matching(/^[a-zA-Z0-9_-]{1,128}$/);
const marked: Check = (value, path) => value === null || cache(value, path);
const mark = { type: anything, cache_control: marked };
const fullText: Check = (value, path) => {
  text(value, path);
  if (String(value).trim() === "") reject("value", "text content blocks must be non-empty", path);
};

const imageSource = variant("type", {
  base64: of({ type: anything, media_type: checkChoice(...IMAGE_TYPES), data: base64 }, [
    "media_type",
    "data",
  ]),
  url: of({ type: anything, url: matching(/^https?:\/\//) }, ["url"]),
  file: of({ type: anything, file_id: text }, ["file_id"]),
});
const documentSource = variant("type", {
  base64: of({ type: anything, media_type: checkChoice("application/pdf"), data: base64 }, [
    "media_type",
    "data",
  ]),
  text: of({ type: anything, media_type: checkChoice("text/plain"), data: text }, ["media_type", "data"]),
  url: of({ type: anything, url: matching(/^https?:\/\//) }, ["url"]),
  file: of({ type: anything, file_id: text }, ["file_id"]),
});
const textBlock = of({ ...mark, text: fullText, citations: anything }, ["text"]);
const imageBlock = of({ ...mark, source: imageSource }, ["source"]);
const documentBlock = of({ ...mark, source: documentSource, title: text, context: text, citations: record }, [
  "source",
]);
const result = list(variant("type", { text: textBlock, image: imageBlock, document: documentBlock }));
const userBlock = variant("type", {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  tool_result: of({ ...mark, tool_use_id: toolId, content: textOr(result), is_error: flag }, ["tool_use_id"]),
});
const assistantBlock = variant("type", {
  text: textBlock,
  tool_use: of({ ...mark, id: toolId, name: toolName, input: record }, ["id", "name", "input"]),
  thinking: of({ type: anything, thinking: text, signature: text }, ["thinking", "signature"]),
  redacted_thinking: of({ type: anything, data: text }, ["data"]),
});
const message = variant("role", {
  user: of({ role: anything, content: textOr(list(userBlock, 1)) }, ["content"]),
  assistant: of({ role: anything, content: textOr(list(assistantBlock, 1)) }, ["content"]),
  system: of({ role: anything, content: textOr(list(variant("type", { text: textBlock }), 1)) }, ["content"]),
});
const schema: Check = (value, path) => {
  record(value, path);
  if (asObject(value).type === undefined) reject("missing", "Field required", [...path, "type"]);
  if (asObject(value).type !== "object") reject("value", "Input should be 'object'", [...path, "type"]);
};
const tool = of(
  {
    type: checkChoice("custom"),
    name: toolName,
    description: text,
    input_schema: schema,
    strict: flag,
    cache_control: cache,
    eager_input_streaming: flag,
    defer_loading: flag,
    input_examples: anything,
    allowed_callers: anything,
  },
  ["name", "input_schema"],
);
const typedTool = of({ ...mark, name: toolName, max_uses: integer(1), user_location: record }, [
  "type",
  "name",
]);
const anyTool: Check = (value, path) => {
  const isTyped = /^(web_search|bash|text_editor|memory)_\d{8}$/.test(String(asObject(value).type));
  (isTyped ? typedTool : tool)(value, path);
};
const choice = { type: anything, disable_parallel_tool_use: flag };
const thought = {
  type: anything,
  display: checkChoice("summarized", "omitted"),
  block_binding: of({ prefix_mismatch_behavior: checkChoice("error", "drop_block") }, [
    "prefix_mismatch_behavior",
  ]),
};
/** The fields of a Messages request, on every level ("Messages API"). */
export const MESSAGES_REQUEST = of(
  {
    model: text,
    messages: list(message, 1),
    max_tokens: integer(1),
    system: textOr(list(variant("type", { text: textBlock }))),
    tools: list(anyTool),
    tool_choice: variant("type", {
      auto: of(choice),
      any: of(choice),
      tool: of({ ...choice, name: text }, ["name"]),
      none: of({ type: anything }),
    }),
    stop_sequences: list(text),
    stream: flag,
    temperature: number(0, 1),
    top_p: number(0, 1),
    top_k: integer(0),
    metadata: of({ user_id: text }),
    thinking: variant("type", {
      enabled: of({ ...thought, budget_tokens: integer(1024) }, ["budget_tokens"]),
      adaptive: of(thought),
      between_tools: of({ type: anything }),
      disabled: of({ type: anything }),
    }),
    output_config: of({
      effort: checkChoice("low", "medium", "high", "xhigh", "max"),
      format: of({ type: checkChoice("json_schema"), schema: record }, ["type", "schema"]),
    }),
    service_tier: checkChoice("auto", "standard_only"),
    cache_control: cache,
    context_management: record,
    container: anything,
    inference_geo: text,
  },
  ["model", "messages", "max_tokens"],
);
