// The bounds of a request that creates an interaction, and the form of its answer (Google's Interactions API, November 2026).
// Steps and contents are checked where they are read. Unknown fields pass, and are named as left out.
import { Type } from "@sinclair/typebox";
import { checkChoice, countFrom, modelName, openObject } from "../bounds.ts";

/** The length of a label's key, and of its value. */
export const LABEL_CHARACTERS_MAX = 63;

const config = openObject({
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: Type.Optional(Type.Number({ minimum: 1 })),
  max_output_tokens: Type.Optional(countFrom(1)),
  seed: Type.Optional(Type.Integer()),
  stop_sequences: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
  thinking_level: Type.Optional(checkChoice("minimal", "low", "medium", "high", "xhigh")),
  thinking_summaries: Type.Optional(checkChoice("auto", "none")),
  tool_choice: Type.Optional(
    Type.Union([
      Type.String(),
      openObject({
        allowed_tools: openObject({
          mode: Type.Optional(Type.String()),
          tools: Type.Optional(Type.Array(Type.String(), { maxItems: 1024 })),
        }),
      }),
    ]),
  ),
});

const step = openObject({ type: Type.Optional(Type.String()) });
const format = openObject({ type: Type.Optional(Type.Unknown()) });

export const interactionSchema = openObject({
  model: modelName,
  input: Type.Union([Type.String(), Type.Array(step, { minItems: 1 }), step]),
  system_instruction: Type.Optional(Type.String()),
  generation_config: Type.Optional(config),
  tools: Type.Optional(Type.Array(openObject({ type: Type.String() }), { maxItems: 1024 })),
  response_format: Type.Optional(Type.Union([Type.Array(format), format])),
  response_mime_type: Type.Optional(Type.String()),
  response_modalities: Type.Optional(Type.Array(Type.String(), { maxItems: 16 })),
  previous_interaction_id: Type.Optional(Type.String()),
  store: Type.Optional(Type.Boolean()),
  stream: Type.Optional(Type.Boolean()),
  background: Type.Optional(Type.Boolean()),
  labels: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: LABEL_CHARACTERS_MAX }), { maxProperties: 16 }),
  ),
  safety_settings: Type.Optional(
    Type.Array(openObject({ type: Type.String(), threshold: Type.String() }), { maxItems: 64 }),
  ),
});

const usage = openObject({
  total_input_tokens: countFrom(0),
  total_cached_tokens: countFrom(0),
  total_output_tokens: countFrom(0),
  total_thought_tokens: countFrom(0),
  total_tool_use_tokens: countFrom(0),
  total_tokens: countFrom(0),
  cost: Type.Optional(Type.Number()),
  charged: Type.Optional(Type.Number()),
});

const begun = {
  id: Type.String(),
  object: checkChoice("interaction"),
  model: Type.String(),
  status: checkChoice("completed", "requires_action", "incomplete", "in_progress", "failed", "cancelled"),
  created: Type.String({ format: "date-time" }),
  updated: Type.String({ format: "date-time" }),
};

const outcome = {
  ...begun,
  usage,
  previous_interaction_id: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(openObject({ code: Type.String(), message: Type.String() }))),
};

export const interactionAnswerSchema = openObject({
  ...outcome,
  steps: Type.Array(openObject({ type: Type.String() })),
});

const typed = openObject({ type: Type.String() });

/** The data of each event of a stream. */
export const interactionEventSchema = Type.Union([
  openObject({ event_type: checkChoice("interaction.created"), interaction: openObject(begun) }),
  openObject({
    event_type: checkChoice("interaction.status_update"),
    interaction_id: Type.String(),
    status: Type.String(),
  }),
  openObject({ event_type: checkChoice("step.start"), index: countFrom(0), step: typed }),
  openObject({ event_type: checkChoice("step.delta"), index: countFrom(0), delta: typed }),
  openObject({ event_type: checkChoice("step.stop"), index: countFrom(0) }),
  openObject({ event_type: checkChoice("interaction.completed"), interaction: openObject(outcome) }),
  openObject({
    event_type: checkChoice("error"),
    error: openObject({ code: Type.String(), message: Type.String() }),
  }),
]);
