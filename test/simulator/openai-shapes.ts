// The fields of a Chat Completions request: strict for OpenAI, lenient for compatible servers.

import { parseDataUrl } from "../../src/operations/chat/prompt/data-url.ts";
import { formatBracketedPath, reject } from "../../src/simulator/problem.ts";
import type { Check, Fields, ShapeRules } from "./validator.ts";
import * as is from "./validator.ts";

const NAME = is.matching(/^[a-zA-Z0-9_-]{1,64}$/);
const CALL_ID_CHARACTERS_MAX = 40;

/** Images in base64 must be of a supported type. Links aren't followed. */
export const imageUrl: Check = (value, path) => {
  is.text(value, path);
  const data = parseDataUrl(String(value));
  if (data && is.IMAGE_TYPES.every((type) => type !== data.mediaType))
    reject(
      "value",
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      path,
      "invalid_image_format",
    );
  if (data) return is.base64(data.base64, path);
  if (!/^https?:\/\//.test(String(value)))
    reject(
      "value",
      `Invalid image URL: '${formatBracketedPath(path)}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without the 'data:' prefix.`,
      path,
      "invalid_value",
    );
};

const callId: Check = (value, path) => {
  is.text(value, path);
  if (String(value).length <= CALL_ID_CHARACTERS_MAX) return;
  reject("value", "Invalid id: expected at most 40 characters.", path, "string_above_max_length");
};

const CHOSEN = is.shape(
  { function: is.shape({ name: NAME }, { open: true }), custom: is.shape({ name: NAME }, { open: true }) },
  { open: true },
);

type Shaper = (fields: Fields, required?: readonly string[]) => Check;

/** OpenAI ignores unknown fields of a message, a call or a tool, and refuses them elsewhere (recorded). */
const roomy: Shaper = (fields, required = []) => is.shape(fields, { required, nullable: true, open: true });

function defineMessage(of: Shaper): Check {
  const marked = { type: is.anything, prompt_cache_breakpoint: is.record };
  const textPart = of({ ...marked, text: is.text }, ["text"]);
  const image = of({ url: imageUrl, detail: is.checkChoice("auto", "low", "high", "original") }, ["url"]);
  const audio = of({ data: is.base64, format: is.checkChoice("wav", "mp3") }, ["data", "format"]);
  const userPart = is.variant("type", {
    text: textPart,
    image_url: of({ ...marked, image_url: image }, ["image_url"]),
    input_audio: of({ ...marked, input_audio: audio }, ["input_audio"]),
    // Of the servers behind this form, some take it.
    video_url: of({ video_url: of({ url: is.text }, ["url"]) }, ["video_url"]),
    file: of({ ...marked, file: of({ file_data: is.text, file_id: is.text, filename: is.text }) }, ["file"]),
  });
  const called = of({ name: NAME, arguments: is.text }, ["name", "arguments"]);
  const custom = of({ name: NAME, input: is.text }, ["name", "input"]);
  const call = is.variant("type", {
    function: roomy({ id: callId, function: called }, ["id", "function"]),
    custom: roomy({ id: callId, custom }, ["id", "custom"]),
  });
  const said = is.list(
    is.variant("type", { text: textPart, refusal: of({ type: is.anything, refusal: is.text }) }),
    1,
  );
  const named = { name: is.text };
  const texts = is.textOr(is.list(is.variant("type", { text: textPart }), 1));
  const system = roomy({ ...named, content: texts }, ["content"]);
  return is.variant("role", {
    system,
    developer: system,
    user: roomy({ ...named, content: is.textOr(is.list(userPart, 1)) }, ["content"]),
    assistant: roomy({
      ...named,
      content: is.textOr(said),
      refusal: is.text,
      audio: is.record,
      tool_calls: is.list(call, 1),
    }),
    tool: roomy({ tool_call_id: callId, content: texts }, ["tool_call_id", "content"]),
  });
}

function defineTool(of: Shaper): Check {
  const made = of({ name: NAME, description: is.text, parameters: is.record, strict: is.flag }, ["name"]);
  return is.variant("type", {
    function: roomy({ function: made }, ["function"]),
    custom: roomy({ custom: roomy({ name: NAME }, ["name"]) }, ["custom"]),
  });
}

function defineFormat(of: Shaper): Check {
  const schema = of({ name: NAME, description: is.text, schema: is.record, strict: is.flag }, ["name"]);
  return is.variant("type", {
    text: of({ type: is.anything }),
    json_object: of({ type: is.anything }),
    json_schema: of({ type: is.anything, json_schema: schema }, ["json_schema"]),
  });
}

const SIMPLE: Fields = {
  model: is.text,
  max_completion_tokens: is.integer(1),
  max_tokens: is.integer(1),
  temperature: is.number(0, 2),
  top_p: is.number(0, 1),
  n: is.integer(1, 128),
  stop: is.textOr(is.list(is.text, 0, 4)),
  presence_penalty: is.number(-2, 2),
  frequency_penalty: is.number(-2, 2),
  logit_bias: is.record,
  logprobs: is.flag,
  top_logprobs: is.integer(0, 20),
  seed: is.integer(),
  stream: is.flag,
  tool_choice: is.wordOr(
    ["none", "auto", "required"],
    is.variant("type", { function: CHOSEN, custom: CHOSEN, allowed_tools: is.record }),
  ),
  parallel_tool_calls: is.flag,
  reasoning_effort: is.checkChoice("none", "minimal", "low", "medium", "high", "xhigh", "max"),
  verbosity: is.checkChoice("low", "medium", "high"),
  modalities: is.list(is.checkChoice("text", "audio")),
  audio: is.record,
  prediction: is.record,
  web_search_options: is.shape({
    search_context_size: is.checkChoice("low", "medium", "high"),
    user_location: is.shape(
      { type: is.checkChoice("approximate"), approximate: is.record },
      { required: ["type", "approximate"] },
    ),
  }),
  store: is.flag,
  metadata: is.metadata,
  service_tier: is.checkChoice("auto", "default", "flex", "scale", "priority", "fast"),
  prompt_cache_key: is.textUpTo(is.IDENTIFIER_CHARACTERS_MAX),
  prompt_cache_options: is.record,
  prompt_cache_retention: is.checkChoice("in_memory", "24h"),
  safety_identifier: is.textUpTo(is.IDENTIFIER_CHARACTERS_MAX),
  moderation: is.record,
  user: is.textUpTo(is.IDENTIFIER_CHARACTERS_MAX),
  functions: is.list(is.record, 1),
  function_call: is.textOr(is.record),
};

function defineRequest(rules: ShapeRules): Check {
  const of: Shaper = (fields, required = []) => is.shape(fields, { ...rules, required });
  const structured: Fields = {
    messages: is.list(defineMessage(of), 1),
    stream_options: of({ include_usage: is.flag, include_obfuscation: is.flag }),
    tools: is.list(defineTool(of), 1),
    response_format: defineFormat(of),
  };
  return of({ ...SIMPLE, ...structured }, ["model", "messages"]);
}

/** For OpenAI itself, which refuses unknown fields. */
export const STRICT_REQUEST = defineRequest({ nullable: true });

/** For a compatible server: known fields must be well formed, unknown ones are ignored. */
export const LENIENT_REQUEST = defineRequest({ nullable: true, open: true });
