// The TypeBox schema of a chat-completions request: what clients may send, its bounds, and what OpenAPI shows.
import { Type } from "@sinclair/typebox";
import { checkChoice, countFrom, openObject } from "../bounds.ts";
import { FIELDS_MAX } from "../checker.ts";

const BIASES_MAX = 2000;
const DOMAINS_MAX = 2000;

const textPart = openObject({ type: checkChoice("text"), text: Type.String() });
const imagePart = openObject({
  type: checkChoice("image_url"),
  image_url: openObject({ url: Type.String({ minLength: 1 }), detail: Type.Optional(Type.String()) }),
});
const audioPart = openObject({
  type: checkChoice("input_audio"),
  input_audio: openObject({ data: Type.String(), format: Type.String() }),
});
const filePart = openObject({
  type: checkChoice("file"),
  file: openObject({
    file_data: Type.String(),
    filename: Type.Optional(Type.String()),
  }),
});
const videoPart = openObject({
  type: checkChoice("video_url"),
  video_url: openObject({ url: Type.String({ minLength: 1 }) }),
});
const refusalPart = openObject({ type: checkChoice("refusal"), refusal: Type.String() });

const textContent = Type.Union([Type.String(), Type.Array(textPart, { minItems: 1 })]);
const userContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([textPart, imagePart, audioPart, filePart, videoPart]), { minItems: 1 }),
]);
const toolContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([textPart, imagePart, audioPart, filePart, videoPart])),
]);
const assistantContent = Type.Union([
  Type.String(),
  Type.Null(),
  Type.Array(Type.Union([textPart, refusalPart, imagePart])),
]);

const functionCall = openObject({ name: Type.String(), arguments: Type.String() });
const toolCall = Type.Union([
  openObject({ id: Type.String(), type: checkChoice("function"), function: functionCall }),
  openObject({
    id: Type.String(),
    type: checkChoice("custom"),
    custom: openObject({ name: Type.String(), input: Type.String() }),
  }),
]);

const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

const message = Type.Union([
  openObject({ role: checkChoice("developer"), content: textContent, name: optionalText }),
  openObject({ role: checkChoice("system"), content: textContent, name: optionalText }),
  openObject({ role: checkChoice("user"), content: userContent, name: optionalText }),
  openObject({
    role: checkChoice("assistant"),
    content: Type.Optional(assistantContent),
    refusal: optionalText,
    name: optionalText,
    reasoning_content: optionalText,
    reasoning_details: Type.Optional(
      Type.Union([Type.Array(Type.Union([openObject({ type: Type.String() }), Type.Null()])), Type.Null()]),
    ),
    tool_calls: Type.Optional(Type.Union([Type.Array(toolCall), Type.Null()])),
    function_call: Type.Optional(Type.Union([functionCall, Type.Null()])),
  }),
  openObject({
    role: checkChoice("tool"),
    tool_call_id: Type.String(),
    content: toolContent,
    name: optionalText,
  }),
  openObject({
    role: checkChoice("function"),
    name: Type.String(),
    content: Type.Union([Type.String(), Type.Null()]),
  }),
]);

const functionDefinition = openObject({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  description: optionalText,
  parameters: Type.Optional(Type.Union([openObject({}), Type.Null()])),
  strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});
const tool = Type.Union([
  openObject({ type: checkChoice("function"), function: functionDefinition }),
  openObject({
    type: checkChoice("custom"),
    custom: openObject({ name: Type.String({ minLength: 1, maxLength: 128 }) }),
  }),
]);

const named = openObject({ name: Type.String({ minLength: 1 }) });
const toolChoice = Type.Union([
  checkChoice("none", "auto", "required"),
  openObject({ type: checkChoice("function"), function: named }),
  openObject({ type: checkChoice("custom"), custom: named }),
  openObject({
    type: checkChoice("allowed_tools"),
    allowed_tools: openObject({
      mode: checkChoice("auto", "required"),
      tools: Type.Array(openObject({}), { minItems: 1 }),
    }),
  }),
]);

const responseFormat = Type.Union([
  openObject({ type: checkChoice("text") }),
  openObject({ type: checkChoice("json_object") }),
  openObject({
    type: checkChoice("json_schema"),
    json_schema: openObject({
      name: Type.String({ minLength: 1 }),
      description: optionalText,
      schema: Type.Optional(openObject({})),
      strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    }),
  }),
]);

const domains = Type.Optional(Type.Array(Type.String(), { maxItems: DOMAINS_MAX }));
/** OpenAI's options, and those that other vendors' searches have. */
const searchOptions = openObject({
  search_context_size: optionalText,
  user_location: Type.Optional(Type.Union([openObject({}), Type.Null()])),
  max_uses: Type.Optional(countFrom(1)),
  allowed_domains: domains,
  blocked_domains: domains,
});

/** No model writes nearly as many: a higher limit is a mistake, and isn't brought down to the model's unnoticed. */
const OUTPUT_TOKENS_MAX = 10_000_000;
const tokens = Type.Integer({ minimum: 1, maximum: OUTPUT_TOKENS_MAX });
const penalty = Type.Number({ minimum: -2, maximum: 2 });

/** Other fields are kept for the providers that document them. The operator's `limits` also bound `n` and `messages`. */
export const chatRequestSchema = openObject(
  {
    model: Type.String({ minLength: 1, description: "`<Provider>#<model>`, or a selector: `Router#best`." }),
    messages: Type.Array(message, { minItems: 1 }),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    n: Type.Optional(countFrom(1)),
    stream: Type.Optional(Type.Boolean()),
    stream_options: Type.Optional(
      Type.Object(
        {
          include_usage: Type.Optional(Type.Boolean()),
          include_obfuscation: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false, maxProperties: FIELDS_MAX },
      ),
    ),
    stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })])),
    max_tokens: Type.Optional(tokens),
    max_completion_tokens: Type.Optional(tokens),
    presence_penalty: Type.Optional(penalty),
    frequency_penalty: Type.Optional(penalty),
    // A free-form map: what a target doesn't take, it refuses itself.
    logit_bias: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: BIASES_MAX })),
    logprobs: Type.Optional(Type.Boolean()),
    top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
    seed: Type.Optional(countFrom(-Number.MAX_SAFE_INTEGER)),
    random_seed: Type.Optional(countFrom(0)),
    user: Type.Optional(Type.String()),
    tools: Type.Optional(Type.Array(tool, { maxItems: 512 })),
    tool_choice: Type.Optional(toolChoice),
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    functions: Type.Optional(Type.Array(functionDefinition, { maxItems: 128 })),
    function_call: Type.Optional(Type.Union([checkChoice("none", "auto"), named])),
    response_format: Type.Optional(responseFormat),
    reasoning_effort: Type.Optional(checkChoice("none", "minimal", "low", "medium", "high", "xhigh", "max")),
    verbosity: Type.Optional(checkChoice("low", "medium", "high")),
    modalities: Type.Optional(Type.Array(checkChoice("text", "audio"))),
    audio: Type.Optional(openObject({})),
    prediction: Type.Optional(openObject({})),
    web_search_options: Type.Optional(searchOptions),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 16 })),
    store: Type.Optional(Type.Boolean()),
    service_tier: Type.Optional(Type.String()),
    prompt_cache_key: Type.Optional(Type.String()),
    safety_identifier: Type.Optional(Type.String()),
  },
  { maxProperties: FIELDS_MAX, description: "OpenAI's chat-completions request." },
);
