// The bounds of a Messages request (Anthropic API reference, "Messages"). Unknown fields and block types pass.
import { Type } from "@sinclair/typebox";
import { checkChoice } from "../bounds.ts";

const OPEN = { additionalProperties: true };
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

const block = Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) }, OPEN);
const content = Type.Union([Type.String(), Type.Array(block)]);
const message = Type.Object({ role: checkChoice("user", "assistant", "system"), content }, OPEN);
const tool = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    type: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(Type.Object({}, OPEN)),
  },
  OPEN,
);

/** The fields that counting tokens and answering have in common. */
const shared = {
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(message, { minItems: 1 }),
  system: Type.Optional(content),
  tools: Type.Optional(Type.Array(tool, { maxItems: 1024 })),
  tool_choice: Type.Optional(
    Type.Object(
      { type: checkChoice("auto", "any", "tool", "none"), name: Type.Optional(Type.String()) },
      OPEN,
    ),
  ),
  thinking: Type.Optional(
    Type.Object(
      {
        type: Type.String(),
        budget_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: INTEGER_MAX })),
      },
      OPEN,
    ),
  ),
};

export const messagesSchema = Type.Object(
  {
    ...shared,
    max_tokens: Type.Integer({ minimum: 1, maximum: INTEGER_MAX }),
    stream: Type.Optional(Type.Boolean()),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_k: Type.Optional(Type.Integer({ minimum: 0, maximum: INTEGER_MAX })),
    stop_sequences: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
    metadata: Type.Optional(
      Type.Object({ user_id: Type.Optional(Type.Union([Type.String(), Type.Null()])) }, OPEN),
    ),
    output_config: Type.Optional(Type.Object({}, OPEN)),
  },
  OPEN,
);

export const countSchema = Type.Object(shared, OPEN);
