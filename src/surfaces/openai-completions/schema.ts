// OpenAI's legacy completions request as a TypeBox schema: the fields that are read, and their bounds.
import { Type } from "@sinclair/typebox";

/** Prompts in one request, and tokens of one prompt that is given by ids. */
const [PROMPTS_MAX, IDS_MAX] = [128, 100_000];
const STOPS_MAX = 16;
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

const ids = Type.Array(Type.Integer({ minimum: 0, maximum: INTEGER_MAX }), {
  minItems: 1,
  maxItems: IDS_MAX,
});
const texts = Type.Array(Type.String(), { minItems: 1, maxItems: PROMPTS_MAX });
const stops = Type.Array(Type.String({ minLength: 1 }), { maxItems: STOPS_MAX });
const count = Type.Integer({ minimum: 1, maximum: 128 });

export const completionRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    prompt: Type.Union([Type.String(), texts, ids, Type.Array(ids, { minItems: 1, maxItems: PROMPTS_MAX })]),
    suffix: Type.Optional(Type.String()),
    n: Type.Optional(count),
    best_of: Type.Optional(count),
    max_tokens: Type.Optional(Type.Integer({ minimum: 0, maximum: INTEGER_MAX })),
    stop: Type.Optional(Type.Union([Type.String(), stops])),
    echo: Type.Optional(Type.Boolean()),
    logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    stream: Type.Optional(Type.Boolean()),
    stream_options: Type.Optional(
      Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, { additionalProperties: true }),
    ),
  },
  { additionalProperties: true },
);
