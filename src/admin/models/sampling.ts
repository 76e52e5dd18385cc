// The schemas of sampling: several models answer the same prompts, and a person or a judge model scores the answers.
import { Type } from "@sinclair/typebox";
import type { Access } from "../../people/access.ts";
import { integerSchema, usdSchema } from "../input.ts";
import { allowNull, anyObject, closeObject, count, number, share, text, usd, type View } from "../schema.ts";

const PROMPTS_MAX = 1000;
export const MODELS_MAX = 8;

const messages = Type.Array(anyObject, { minItems: 1, description: "As in a chat completion." });
const models = Type.Array(text, { minItems: 2, maxItems: MODELS_MAX, expected: `2 to ${MODELS_MAX} models` });

export const planSampleSchema = closeObject({
  prompts: integerSchema(1, PROMPTS_MAX),
  messages: Type.Optional(
    Type.Array(messages, {
      maxItems: PROMPTS_MAX,
      description: "The prompts. If missing, those in the log that the sender may read.",
    }),
  ),
  models: Type.Optional(models),
  judge: Type.Optional(text),
});
export const samplePlanSchema = Type.Object({
  models: Type.Array(text),
  prompts: Type.Array(Type.Object({ messages, cost_usd: usd })),
  known: Type.Integer({ description: "Prompts that were left out because they are scored already." }),
  cost_usd: Type.Number({ description: "The expected cost of all answers and judgments, in USD." }),
});

const sealed = Type.String({ description: "Names the answer. The model that gave it is sealed in it." });
export const askSampleSchema = closeObject({ messages, models, max_cost_usd: usdSchema });
export const sampledSchema = Type.Object({
  answers: Type.Array(Type.Object({ answer: sealed, text: allowNull(text), error: allowNull(text) }), {
    description: "In random order. Empty if they could cost more than `max_cost_usd`.",
  }),
  cost_usd: usd,
});

const judgedAnswer = closeObject({ answer: sealed, text });
export const judgeSampleSchema = closeObject({
  messages,
  judge: text,
  max_cost_usd: usdSchema,
  answers: Type.Array(judgedAnswer, { minItems: 2, maxItems: MODELS_MAX }),
});
export const judgedSchema = Type.Object({
  scores: Type.Array(Type.Object({ answer: sealed, score: allowNull(number) }), {
    description:
      "The means over both orders of the answers; null where the order changed a score by more than 0.4. Empty if the judgment could cost more than `max_cost_usd`, or can't be read.",
  }),
  cost_usd: usd,
});

export const scoreSampleSchema = closeObject({
  messages,
  judge: Type.Optional(text),
  scores: Type.Array(closeObject({ answer: sealed, score: share }), { minItems: 1, maxItems: MODELS_MAX }),
});
export const scoredSchema = Type.Object({
  learned: count,
  models: Type.Array(Type.Object({ answer: sealed, model: text, score: share })),
});

/** Throws the Faults of a chat completion, and `invalid_value` for what isn't a sealed answer to these messages. */
export interface Sampling {
  /** Takes prompts of the log that the sender may read: all if it is missing. */
  plan(given: View<typeof planSampleSchema>, access?: Access): Promise<View<typeof samplePlanSchema>>;
  ask(given: View<typeof askSampleSchema>): Promise<View<typeof sampledSchema>>;
  judge(given: View<typeof judgeSampleSchema>): Promise<View<typeof judgedSchema>>;
  score(given: View<typeof scoreSampleSchema>): Promise<View<typeof scoredSchema>>;
}
