// The chat-completions request as a TypeBox schema: what clients may send, its bounds, and what OpenAPI shows of it.
import { Type } from "@sinclair/typebox";
import { checkChoice } from "../bounds.ts";
import { FIELDS_MAX } from "../checker.ts";

const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
const OPEN = { additionalProperties: true };

const BIASES_MAX = 2000;

const textPart = Type.Object({ type: checkChoice("text"), text: Type.String() }, OPEN);
const imagePart = Type.Object(
  {
    type: checkChoice("image_url"),
    image_url: Type.Object(
      { url: Type.String({ minLength: 1 }), detail: Type.Optional(Type.String()) },
      OPEN,
    ),
  },
  OPEN,
);
const audioPart = Type.Object(
  {
    type: checkChoice("input_audio"),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }, OPEN),
  },
  OPEN,
);
const filePart = Type.Object(
  {
    type: checkChoice("file"),
    file: Type.Object(
      {
        file_data: Type.Optional(Type.String()),
        file_id: Type.Optional(Type.String()),
        filename: Type.Optional(Type.String()),
      },
      OPEN,
    ),
  },
  OPEN,
);
const refusalPart = Type.Object({ type: checkChoice("refusal"), refusal: Type.String() }, OPEN);

const textContent = Type.Union([Type.String(), Type.Array(textPart, { minItems: 1 })]);
const userContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([textPart, imagePart, audioPart, filePart]), { minItems: 1 }),
]);
const toolContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([textPart, imagePart, audioPart, filePart])),
]);
const assistantContent = Type.Union([
  Type.String(),
  Type.Null(),
  Type.Array(Type.Union([textPart, refusalPart, imagePart])),
]);

const functionCall = Type.Object({ name: Type.String(), arguments: Type.String() }, OPEN);
const toolCall = Type.Union([
  Type.Object({ id: Type.String(), type: checkChoice("function"), function: functionCall }, OPEN),
  Type.Object(
    {
      id: Type.String(),
      type: checkChoice("custom"),
      custom: Type.Object({ name: Type.String(), input: Type.String() }, OPEN),
    },
    OPEN,
  ),
]);

const name = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

const message = Type.Union([
  Type.Object({ role: checkChoice("developer"), content: textContent, name }, OPEN),
  Type.Object({ role: checkChoice("system"), content: textContent, name }, OPEN),
  Type.Object({ role: checkChoice("user"), content: userContent, name }, OPEN),
  Type.Object(
    {
      role: checkChoice("assistant"),
      content: Type.Optional(assistantContent),
      refusal: optionalText,
      name,
      reasoning_content: optionalText,
      reasoning_details: Type.Optional(
        Type.Union([Type.Array(Type.Object({ type: Type.String() }, OPEN)), Type.Null()]),
      ),
      tool_calls: Type.Optional(Type.Union([Type.Array(toolCall), Type.Null()])),
      function_call: Type.Optional(Type.Union([functionCall, Type.Null()])),
    },
    OPEN,
  ),
  Type.Object({ role: checkChoice("tool"), tool_call_id: Type.String(), content: toolContent, name }, OPEN),
  Type.Object(
    {
      role: checkChoice("function"),
      name: Type.String(),
      content: Type.Union([Type.String(), Type.Null()]),
    },
    OPEN,
  ),
]);

const functionDefinition = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    description: optionalText,
    parameters: Type.Optional(Type.Union([Type.Object({}, OPEN), Type.Null()])),
    strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  OPEN,
);
const tool = Type.Union([
  Type.Object({ type: checkChoice("function"), function: functionDefinition }, OPEN),
  Type.Object(
    {
      type: checkChoice("custom"),
      custom: Type.Object({ name: Type.String({ minLength: 1, maxLength: 128 }) }, OPEN),
    },
    OPEN,
  ),
]);

const named = Type.Object({ name: Type.String({ minLength: 1 }) }, OPEN);
const toolChoice = Type.Union([
  checkChoice("none", "auto", "required"),
  Type.Object({ type: checkChoice("function"), function: named }, OPEN),
  Type.Object({ type: checkChoice("custom"), custom: named }, OPEN),
  Type.Object(
    {
      type: checkChoice("allowed_tools"),
      allowed_tools: Type.Object(
        { mode: checkChoice("auto", "required"), tools: Type.Array(Type.Object({}, OPEN), { minItems: 1 }) },
        OPEN,
      ),
    },
    OPEN,
  ),
]);

const responseFormat = Type.Union([
  Type.Object({ type: checkChoice("text") }, OPEN),
  Type.Object({ type: checkChoice("json_object") }, OPEN),
  Type.Object(
    {
      type: checkChoice("json_schema"),
      json_schema: Type.Object(
        {
          name: Type.String({ minLength: 1 }),
          description: optionalText,
          schema: Type.Optional(Type.Object({}, OPEN)),
          strict: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
        },
        OPEN,
      ),
    },
    OPEN,
  ),
]);

const tokens = Type.Integer({ minimum: 1, maximum: INTEGER_MAX });
const penalty = Type.Number({ minimum: -2, maximum: 2 });

/** Fields not named here are carried through. `n` and `messages` also have ceilings of the operator's (`limits`). */
export const chatRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "`<Provider>#<model>`, or a selector: `Router#best`." }),
    messages: Type.Array(message, { minItems: 1 }),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: INTEGER_MAX })),
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
    logit_bias: Type.Optional(
      Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }), { maxProperties: BIASES_MAX }),
    ),
    logprobs: Type.Optional(Type.Boolean()),
    top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
    seed: Type.Optional(Type.Integer({ minimum: -INTEGER_MAX, maximum: INTEGER_MAX })),
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
    audio: Type.Optional(Type.Object({}, OPEN)),
    prediction: Type.Optional(Type.Object({}, OPEN)),
    web_search_options: Type.Optional(Type.Object({}, OPEN)),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 16 })),
    store: Type.Optional(Type.Boolean()),
    service_tier: Type.Optional(Type.String()),
    prompt_cache_key: Type.Optional(Type.String()),
    safety_identifier: Type.Optional(Type.String()),
  },
  { ...OPEN, maxProperties: FIELDS_MAX, description: "OpenAI's chat-completions request." },
);
