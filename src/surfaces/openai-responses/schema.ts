// The bounds of a Responses request (OpenAI API reference, "Responses"). Unknown fields and item types pass.
import { Type } from "@sinclair/typebox";

const OPEN = { additionalProperties: true };
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
const record = Type.Object({}, OPEN);

const item = Type.Object({ type: Type.Optional(Type.String()), role: Type.Optional(Type.String()) }, OPEN);

/** The fields that counting tokens and answering have in common. */
const shared = {
  model: Type.String({ minLength: 1 }),
  input: Type.Optional(Type.Union([Type.String(), Type.Array(item)])),
  instructions: Type.Optional(Type.Union([Type.String(), Type.Array(item)])),
  tools: Type.Optional(Type.Array(Type.Object({ type: Type.String() }, OPEN), { maxItems: 1024 })),
  tool_choice: Type.Optional(Type.Union([Type.String(), record])),
  text: Type.Optional(record),
  reasoning: Type.Optional(record),
};

export const responsesSchema = Type.Object(
  {
    ...shared,
    stream: Type.Optional(Type.Boolean()),
    store: Type.Optional(Type.Boolean()),
    background: Type.Optional(Type.Boolean()),
    max_output_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: INTEGER_MAX })),
    max_tool_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: INTEGER_MAX })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    include: Type.Optional(Type.Array(Type.String())),
    metadata: Type.Optional(record),
    user: Type.Optional(Type.String()),
    prompt_cache_key: Type.Optional(Type.String()),
  },
  OPEN,
);

export const inputTokensSchema = Type.Object(shared, OPEN);
