// The TypeBox schema of OpenAI's chat completion with the gateway's own fields, for documents and tests.
import { type Static, Type } from "@sinclair/typebox";
import type { Frozen } from "../../core/world/frozen.ts";
import { checkChoice } from "../bounds.ts";

const text = Type.String();
const textOrNull = Type.Union([text, Type.Null()]);
const objects = Type.Array(Type.Object({}));

const messageSchema = Type.Object({
  role: checkChoice("assistant"),
  content: Type.Optional(textOrNull),
  refusal: Type.Optional(textOrNull),
  reasoning_content: Type.Optional(text),
  tool_calls: Type.Optional(objects),
  function_call: Type.Optional(
    Type.Object(
      { name: text, arguments: text },
      {
        deprecated: true,
        description: "The call, if the request has `functions` but no `tools`.",
      },
    ),
  ),
  annotations: Type.Optional(objects),
  citations: Type.Optional(
    Type.Array(Type.Object({}), {
      description: "Documents that the text cites, as `document_citation`; web pages are in `annotations`.",
    }),
  ),
});

const usageSchema = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  cost: Type.Optional(Type.Number({ description: "The cost in USD, even if the request was free." })),
  charged: Type.Optional(Type.Number({ description: "The amount in USD that was charged to the balance." })),
});

// `function_call` only ends answers to requests that offer the deprecated `functions`.
const finish = checkChoice("stop", "length", "tool_calls", "content_filter", "function_call");

export const completionSchema = Type.Object({
  id: text,
  object: checkChoice("chat.completion"),
  created: Type.Integer({ description: "Unix seconds." }),
  model: Type.String({ description: "The canonical id of the model that answered." }),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      finish_reason: finish,
      native_finish_reason: Type.Optional(
        Type.String({ description: "The provider's own finish reason, if it differs." }),
      ),
      message: messageSchema,
    }),
  ),
  system_fingerprint: Type.Union([text, Type.Null()], { description: "The provider's, if it has one." }),
  usage: Type.Optional(usageSchema),
});

/** A call's id and name come in its first part, its arguments piece by piece. */
const callPartSchema = Type.Object({
  index: Type.Integer(),
  id: Type.Optional(text),
  function: Type.Optional(Type.Object({ name: Type.Optional(text), arguments: Type.Optional(text) })),
});

/** An event of a streamed completion. The last one holds the usage. */
const chunkSchema = Type.Object({
  id: text,
  object: checkChoice("chat.completion.chunk"),
  created: Type.Integer(),
  model: text,
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        content: Type.Optional(textOrNull),
        reasoning_content: Type.Optional(textOrNull),
        tool_calls: Type.Optional(Type.Array(callPartSchema)),
      }),
      finish_reason: Type.Union([Type.Null(), finish]),
    }),
  ),
  usage: Type.Optional(Type.Union([Type.Null(), usageSchema])),
});
export type Chunk = Frozen<Static<typeof chunkSchema>>;
export type Usage = Frozen<Static<typeof usageSchema>>;
