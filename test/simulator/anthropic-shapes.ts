// The fields of a request to Anthropic's Messages. Any other field is refused.
import { asObject } from "../../src/core/json/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { ANTHROPIC_SEARCH, RUN_BY_ANTHROPIC } from "./search-shapes.ts";
import type { Check, Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => is.shape(fields, { required });
const cache = of({ type: is.checkChoice("ephemeral"), ttl: is.checkChoice("5m", "1h") }, ["type"]);
const toolId = is.matching(/^[a-zA-Z0-9_-]+$/);
const ranId = is.matching(/^srvtoolu_[a-zA-Z0-9_]+$/);
const toolName = is.matching(/^[a-zA-Z0-9_-]{1,128}$/);
const marked: Check = (value, path) => value === null || cache(value, path);
const mark = { type: is.anything, cache_control: marked };
const fullText: Check = (value, path) => {
  is.text(value, path);
  if (String(value).trim() === "") reject("value", "text content blocks must be non-empty", path);
};

const imageSource = is.variant("type", {
  base64: of({ type: is.anything, media_type: is.checkChoice(...is.IMAGE_TYPES), data: is.base64 }, [
    "media_type",
    "data",
  ]),
  url: of({ type: is.anything, url: is.matching(/^https?:\/\//) }, ["url"]),
  file: of({ type: is.anything, file_id: is.text }, ["file_id"]),
});
const documentSource = is.variant("type", {
  base64: of({ type: is.anything, media_type: is.checkChoice("application/pdf"), data: is.base64 }, [
    "media_type",
    "data",
  ]),
  text: of({ type: is.anything, media_type: is.checkChoice("text/plain"), data: is.text }, [
    "media_type",
    "data",
  ]),
  url: of({ type: is.anything, url: is.matching(/^https?:\/\//) }, ["url"]),
  file: of({ type: is.anything, file_id: is.text }, ["file_id"]),
});
const textBlock = of({ ...mark, text: fullText, citations: is.anything }, ["text"]);
const imageBlock = of({ ...mark, source: imageSource }, ["source"]);
const documentBlock = of(
  { ...mark, source: documentSource, title: is.text, context: is.text, citations: is.record },
  ["source"],
);
/** A tool that was found: it is defined in `tools`, and the model hasn't been shown it so far. */
const toolReference = of({ ...mark, tool_name: toolName }, ["tool_name"]);
const result = is.list(
  is.variant("type", {
    text: textBlock,
    image: imageBlock,
    document: documentBlock,
    tool_reference: toolReference,
  }),
);
const userBlock = is.variant("type", {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  tool_result: of({ ...mark, tool_use_id: toolId, content: is.textOr(result), is_error: is.flag }, [
    "tool_use_id",
  ]),
});
const assistantBlock = is.variant("type", {
  text: textBlock,
  tool_use: of({ ...mark, id: toolId, name: toolName, input: is.record }, ["id", "name", "input"]),
  thinking: of({ type: is.anything, thinking: is.text, signature: is.text }, ["thinking", "signature"]),
  redacted_thinking: of({ type: is.anything, data: is.text }, ["data"]),
  server_tool_use: of({ ...mark, id: ranId, name: is.text, input: is.record, caller: is.record }, [
    "id",
    "name",
    "input",
  ]),
  web_search_tool_result: of({ ...mark, tool_use_id: ranId, content: is.anything, caller: is.record }, [
    "tool_use_id",
    "content",
  ]),
});
const reference = of({ type: is.checkChoice("tool_reference"), name: toolName }, ["type", "name"]);
const removal = of({ ...mark, tool: reference }, ["tool"]);
const addition = of({ ...mark, tool: is.anything }, ["tool"]);
/** `BetaToolRemovalBlockParam` and `BetaToolAdditionBlockParam` of @anthropic-ai/sdk 1.14.0. */
const lateBlocks = { text: textBlock, tool_removal: removal, tool_addition: addition };
const effort = is.checkChoice("low", "medium", "high", "xhigh", "max");
const message = is.variant("role", {
  user: of({ role: is.anything, content: is.textOr(is.list(userBlock, 1)) }, ["content"]),
  assistant: of({ role: is.anything, content: is.textOr(is.list(assistantBlock, 1)) }, ["content"]),
  system: of(
    {
      role: is.anything,
      content: is.textOr(is.list(is.variant("type", lateBlocks), 1)),
      // An effort for the turns from here on, which takes a beta.
      output_config: of({ effort }),
    },
    ["content"],
  ),
});
const schema: Check = (value, path) => {
  is.record(value, path);
  if (asObject(value).type === undefined) reject("missing", "Field required", [...path, "type"]);
  if (asObject(value).type !== "object") reject("value", "Input should be 'object'", [...path, "type"]);
};
const tool = of(
  {
    type: is.checkChoice("custom"),
    name: toolName,
    description: is.text,
    input_schema: schema,
    strict: is.flag,
    cache_control: cache,
    eager_input_streaming: is.flag,
    defer_loading: is.flag,
    input_examples: is.anything,
    allowed_callers: is.anything,
  },
  ["name", "input_schema"],
);
const typedTool = of({ ...mark, name: toolName }, ["type", "name"]);
const anyTool: Check = (value, path) => {
  const type = String(asObject(value).type);
  if (RUN_BY_ANTHROPIC.test(type)) ANTHROPIC_SEARCH(value, path);
  else (/^(bash|text_editor|memory)_\d{8}$/.test(type) ? typedTool : tool)(value, path);
};
const choice = { type: is.anything, disable_parallel_tool_use: is.flag };
const thought = {
  type: is.anything,
  display: is.checkChoice("summarized", "omitted"),
  block_binding: of({ prefix_mismatch_behavior: is.checkChoice("error", "drop_block") }, [
    "prefix_mismatch_behavior",
  ]),
};
/** The fields of a Messages request, on every level ("Messages API"). */
export const MESSAGES_REQUEST = of(
  {
    model: is.text,
    messages: is.list(message, 1),
    max_tokens: is.integer(1),
    system: is.textOr(is.list(is.variant("type", { text: textBlock }))),
    tools: is.list(anyTool),
    tool_choice: is.variant("type", {
      auto: of(choice),
      any: of(choice),
      tool: of({ ...choice, name: is.text }, ["name"]),
      none: of({ type: is.anything }),
    }),
    stop_sequences: is.list(is.text),
    stream: is.flag,
    temperature: is.number(0, 1),
    top_p: is.number(0, 1),
    top_k: is.integer(0),
    metadata: of({ user_id: is.textUpTo(256) }),
    thinking: is.variant("type", {
      enabled: of({ ...thought, budget_tokens: is.integer(1024) }, ["budget_tokens"]),
      adaptive: of(thought),
      between_tools: of({ type: is.anything }),
      disabled: of({ type: is.anything }),
    }),
    output_config: of({
      effort,
      format: of({ type: is.checkChoice("json_schema"), schema: is.record }, ["type", "schema"]),
    }),
    service_tier: is.checkChoice("auto", "standard_only"),
    cache_control: cache,
    context_management: is.record,
    container: is.anything,
    inference_geo: is.text,
  },
  ["model", "messages", "max_tokens"],
);
