// The bounds of a Responses request (OpenAI API reference, "Responses"). Unknown fields and item types pass.
import { Type } from "@sinclair/typebox";
import { countFrom, openObject } from "../bounds.ts";

const record = openObject({});

const item = openObject({ type: Type.Optional(Type.String()), role: Type.Optional(Type.String()) });

/** The fields shared by counting tokens and answering. */
const shared = {
  model: Type.String({ minLength: 1 }),
  input: Type.Optional(Type.Union([Type.String(), Type.Array(item)])),
  instructions: Type.Optional(Type.Union([Type.String(), Type.Array(item)])),
  tools: Type.Optional(Type.Array(openObject({ type: Type.String() }), { maxItems: 1024 })),
  tool_choice: Type.Optional(Type.Union([Type.String(), record])),
  text: Type.Optional(record),
  reasoning: Type.Optional(record),
};

export const responsesSchema = openObject({
  ...shared,
  stream: Type.Optional(Type.Boolean()),
  store: Type.Optional(Type.Boolean()),
  background: Type.Optional(Type.Boolean()),
  max_output_tokens: Type.Optional(countFrom(1)),
  max_tool_calls: Type.Optional(countFrom(1)),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  include: Type.Optional(Type.Array(Type.String())),
  metadata: Type.Optional(record),
  user: Type.Optional(Type.String()),
  prompt_cache_key: Type.Optional(Type.String()),
});

export const inputTokensSchema = openObject(shared);
