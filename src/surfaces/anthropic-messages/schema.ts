// The bounds of a Messages request (Anthropic API reference, "Messages"). Unknown fields and block types pass.
import { Type } from "@sinclair/typebox";
import { checkChoice, countFrom, openObject } from "../bounds.ts";

const block = openObject({ type: Type.String(), text: Type.Optional(Type.String()) });
const content = Type.Union([Type.String(), Type.Array(block)]);
const message = openObject({ role: checkChoice("user", "assistant", "system"), content });
const tool = openObject({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  type: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  input_schema: Type.Optional(openObject({})),
  max_uses: Type.Optional(Type.Union([countFrom(1), Type.Null()])),
});

/** The fields shared by counting tokens and answering. */
const shared = {
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(message, { minItems: 1 }),
  system: Type.Optional(content),
  tools: Type.Optional(Type.Array(tool, { maxItems: 1024 })),
  tool_choice: Type.Optional(
    openObject({ type: checkChoice("auto", "any", "tool", "none"), name: Type.Optional(Type.String()) }),
  ),
  thinking: Type.Optional(
    openObject({
      type: Type.String(),
      budget_tokens: Type.Optional(countFrom(1)),
    }),
  ),
};

export const messagesSchema = openObject({
  ...shared,
  max_tokens: countFrom(1),
  stream: Type.Optional(Type.Boolean()),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: Type.Optional(countFrom(0)),
  stop_sequences: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
  metadata: Type.Optional(openObject({ user_id: Type.Optional(Type.Union([Type.String(), Type.Null()])) })),
  output_config: Type.Optional(openObject({})),
});

export const countSchema = openObject(shared);
