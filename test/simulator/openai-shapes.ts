// The fields of a Chat Completions request: strict for OpenAI, lenient for compatible servers.

import { parseDataUrl } from "../../src/operations/chat/data-url.ts";
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
  type ShapeRules,
  shape,
  text,
  textOr,
  variant,
  wordOr,
} from "./validator.ts";

const NAME = matching(/^[a-zA-Z0-9_-]{1,64}$/);
const CALL_ID_CHARACTERS_MAX = 40;

/** Images in base64 must be of a supported type; links aren't followed. */
export const imageUrl: Check = (value, path) => {
  text(value, path);
  const data = parseDataUrl(String(value));
  if (data && IMAGE_TYPES.every((type) => type !== data.mediaType))
    reject(
      "value",
      "You uploaded an unsupported image. Please make sure your image has one of the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      path,
      "invalid_image_format",
    );
  if (data) return base64(data.base64, path);
  if (!/^https?:\/\//.test(String(value)))
    reject("value", `Invalid image URL: '${String(value).slice(0, 60)}'.`, path, "invalid_image_url");
};

const callId: Check = (value, path) => {
  text(value, path);
  if (String(value).length <= CALL_ID_CHARACTERS_MAX) return;
  reject("value", "Invalid id: expected at most 40 characters.", path, "string_above_max_length");
};

type Shaper = (fields: Fields, required?: readonly string[]) => Check;

/** OpenAI ignores unknown fields of a message, a call or a tool, and refuses them elsewhere (recorded). */
const roomy: Shaper = (fields, required = []) => shape(fields, { required, nullable: true, open: true });

function defineMessage(of: Shaper): Check {
  const marked = { type: anything, prompt_cache_breakpoint: record };
  const textPart = of({ ...marked, text }, ["text"]);
  const image = of({ url: imageUrl, detail: checkChoice("auto", "low", "high", "original") }, ["url"]);
  const audio = of({ data: base64, format: checkChoice("wav", "mp3") }, ["data", "format"]);
  const userPart = variant("type", {
    text: textPart,
    image_url: of({ ...marked, image_url: image }, ["image_url"]),
    input_audio: of({ ...marked, input_audio: audio }, ["input_audio"]),
    file: of({ ...marked, file: of({ file_data: text, file_id: text, filename: text }) }, ["file"]),
  });
  const called = of({ name: NAME, arguments: text }, ["name", "arguments"]);
  const custom = of({ name: NAME, input: text }, ["name", "input"]);
  const call = variant("type", {
    function: roomy({ id: callId, function: called }, ["id", "function"]),
    custom: roomy({ id: callId, custom }, ["id", "custom"]),
  });
  const said = list(variant("type", { text: textPart, refusal: of({ type: anything, refusal: text }) }), 1);
  const named = { name: text };
  const texts = textOr(list(variant("type", { text: textPart }), 1));
  const system = roomy({ ...named, content: texts }, ["content"]);
  return variant("role", {
    system,
    developer: system,
    user: roomy({ ...named, content: textOr(list(userPart, 1)) }, ["content"]),
    assistant: roomy({
      ...named,
      content: textOr(said),
      refusal: text,
      audio: record,
      tool_calls: list(call, 1),
    }),
    tool: roomy({ tool_call_id: callId, content: texts }, ["tool_call_id", "content"]),
  });
}

function defineTool(of: Shaper): Check {
  const made = of({ name: NAME, description: text, parameters: record, strict: flag }, ["name"]);
  return variant("type", {
    function: roomy({ function: made }, ["function"]),
    custom: roomy({ custom: record }, ["custom"]),
  });
}

function defineFormat(of: Shaper): Check {
  const schema = of({ name: NAME, description: text, schema: record, strict: flag }, ["name"]);
  return variant("type", {
    text: of({ type: anything }),
    json_object: of({ type: anything }),
    json_schema: of({ type: anything, json_schema: schema }, ["json_schema"]),
  });
}

const SIMPLE: Fields = {
  model: text,
  max_completion_tokens: integer(1),
  max_tokens: integer(1),
  temperature: number(0, 2),
  top_p: number(0, 1),
  n: integer(1, 128),
  stop: textOr(list(text, 0, 4)),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  logit_bias: record,
  logprobs: flag,
  top_logprobs: integer(0, 20),
  seed: integer(),
  stream: flag,
  tool_choice: wordOr(
    ["none", "auto", "required"],
    variant("type", { function: record, custom: record, allowed_tools: record }),
  ),
  parallel_tool_calls: flag,
  reasoning_effort: checkChoice("none", "minimal", "low", "medium", "high", "xhigh", "max"),
  verbosity: checkChoice("low", "medium", "high"),
  modalities: list(checkChoice("text", "audio")),
  audio: record,
  prediction: record,
  web_search_options: record,
  store: flag,
  metadata: record,
  service_tier: checkChoice("auto", "default", "flex", "scale", "priority", "fast"),
  prompt_cache_key: text,
  prompt_cache_options: record,
  prompt_cache_retention: checkChoice("in_memory", "24h"),
  safety_identifier: text,
  moderation: record,
  user: text,
  functions: list(record, 1),
  function_call: textOr(record),
};

function defineRequest(rules: ShapeRules): Check {
  const of: Shaper = (fields, required = []) => shape(fields, { ...rules, required });
  const structured: Fields = {
    messages: list(defineMessage(of), 1),
    stream_options: of({ include_usage: flag, include_obfuscation: flag }),
    tools: list(defineTool(of), 1, 128),
    response_format: defineFormat(of),
  };
  return of({ ...SIMPLE, ...structured }, ["model", "messages"]);
}

/** For OpenAI itself, which refuses unknown fields. */
export const STRICT_REQUEST = defineRequest({ nullable: true });

/** For a compatible server: known fields must be well formed, unknown ones are ignored. */
export const LENIENT_REQUEST = defineRequest({ nullable: true, open: true });
