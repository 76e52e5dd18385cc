// OpenAI's legacy completions.
import { Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { type JsonObject, omitUndefined } from "../../core/json/json.ts";
import { listChunks, type Part } from "../../operations/chat/answer/run.ts";
import type { ChatChunk, ChatReply } from "../../operations/chat/form.ts";
import { type CompletionForm, type CompletionRequest, toChat } from "../../operations/completion/form.ts";
import { COMPLETION } from "../../operations/completion/operation.ts";
import { countFrom, modelName, openObject } from "../bounds.ts";
import { DATA_LINES, dataLine } from "../event-stream.ts";
import { makeOpenAiSurface } from "../openai-surface.ts";
import type { Stamp, Surface, Writer } from "../surface.ts";
import { listTextInputs } from "../text-inputs.ts";

/** The most prompts in one request, and the most token ids in one prompt. */
const PROMPTS_MAX = 128;
const IDS_MAX = 100_000;
const STOPS_MAX = 16;

const ids = Type.Array(countFrom(0), {
  minItems: 1,
  maxItems: IDS_MAX,
});
const texts = Type.Array(Type.String(), { minItems: 1, maxItems: PROMPTS_MAX });
const stops = Type.Array(Type.String({ minLength: 1 }), { maxItems: STOPS_MAX });
const count = Type.Integer({ minimum: 1, maximum: 128 });

export const completionRequestSchema = openObject({
  model: modelName,
  prompt: Type.Union([Type.String(), texts, ids, Type.Array(ids, { minItems: 1, maxItems: PROMPTS_MAX })]),
  suffix: Type.Optional(Type.String()),
  n: Type.Optional(count),
  best_of: Type.Optional(count),
  max_tokens: Type.Optional(countFrom(0)),
  stop: Type.Optional(Type.Union([Type.String(), stops])),
  echo: Type.Optional(Type.Boolean()),
  logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  stream: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(openObject({ include_usage: Type.Optional(Type.Boolean()) })),
});

export const OPENAI_COMPLETIONS: Surface<CompletionForm> = makeOpenAiSurface({
  name: "openai-completions",
  operation: COMPLETION,
  idPrefix: "cmpl-",
  schema: completionRequestSchema,
  list: "prompt",
  read(given, _extras, { limits }) {
    const { model, prompt, suffix, n = 1, best_of: bestOf, max_tokens: maxTokens, stop, ...rest } = given;
    const { echo, logprobs, stream, stream_options: options, ...extras } = rest;
    const ask: CompletionRequest = omitUndefined({
      model,
      prompts: listTextInputs(prompt),
      n,
      extras,
      suffix,
      bestOf,
      maxTokens,
      echo,
      logprobs,
      stream,
      stop: typeof stop === "string" ? [stop] : stop,
    });
    refuseMany(ask, limits.choicesMax);
    return {
      ask,
      whole: writeWhole,
      writer: (stamp) => makeTextWriter(stamp, options?.include_usage === true),
    };
  },
});

function refuseMany(ask: CompletionRequest, choicesMax: number): void {
  const { n = 1 } = toChat(ask);
  if (n <= choicesMax) return;
  const param = ask.prompts.length > choicesMax ? "prompt" : ask.bestOf === undefined ? "n" : "best_of";
  const message = `Invalid '${param}': the request asks for ${n} answers in all. Expected at most ${choicesMax}.`;
  throw new Fault("integer_above_max_value", message, { param });
}

function writeWhole({ choices, usage }: ChatReply, stamp: Stamp): JsonObject {
  const written = choices.map((choice) => writeChoice(choice, choice.message.content));
  return { ...makeHead(stamp), choices: written, ...(usage ? { usage } : {}) };
}

function makeHead({ id, created, model }: Stamp): JsonObject {
  return { id, object: "text_completion", created, model };
}

/** Returns a choice in the form of completions. */
function writeChoice(choice: JsonObject, content: unknown): JsonObject {
  const { index, finish_reason, text_logprobs } = choice;
  const text = typeof content === "string" ? content : "";
  return { text, index, logprobs: text_logprobs ?? null, finish_reason };
}

/** Writes a streamed completion as events whose choices contain text. */
function makeTextWriter(stamp: () => Stamp, includeUsage: boolean): Writer<Part> {
  let head: JsonObject | null = null;
  const writeChunk = ({ choices, usage }: ChatChunk) => {
    if (choices.length === 0) return usage && includeUsage ? writeEvent({ ...head, choices: [], usage }) : "";
    const said = choices.filter(({ delta, finish_reason }) => finish_reason !== null || delta.content);
    const written = said.map((choice) => writeChoice(choice, choice.delta.content));
    return written.length === 0 ? "" : writeEvent({ ...head, choices: written });
  };
  const write = (parts: readonly Part[]) => {
    head ??= makeHead(stamp());
    return listChunks(parts).map(writeChunk).join("");
  };
  return { ...DATA_LINES, write };
}

function writeEvent(event: JsonObject): string {
  return dataLine(JSON.stringify(event));
}
