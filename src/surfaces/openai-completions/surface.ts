// OpenAI's legacy completions.
import { Fault } from "../../core/fault.ts";
import { asObject, type JsonObject } from "../../core/json.ts";
import type { Limits } from "../../core/settings.ts";
import type { ChatReply } from "../../operations/chat/form.ts";
import type { CompletionForm, CompletionRequest } from "../../operations/completion/form.ts";
import { toChat } from "../../operations/completion/form.ts";
import { COMPLETION } from "../../operations/completion/operation.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import {
  type Exchange,
  type Incoming,
  refuseAsOpenai,
  type Stamp,
  type Surface,
  TRANSLATED,
} from "../surface.ts";
import { listTextInputs } from "../text-inputs.ts";
import { completionRequestSchema } from "./schema.ts";
import { TextWriter, writeChoice } from "./writer.ts";

const CHECKER = new Checker(completionRequestSchema);

export const OPENAI_COMPLETIONS: Surface<CompletionForm> = {
  name: "openai-completions",
  family: "openai",
  operation: COMPLETION,
  idPrefix: "cmpl-",
  read({ body, limits }: Incoming): Exchange<CompletionForm> {
    const given = readFields(body);
    const prompts = listTextInputs(given.prompt);
    CHECKER.check(given, prompts.length);
    checkModelName(given.model);
    const ask = checked(given, prompts);
    refuseMany(ask, limits);
    const includeUsage = asObject(given.stream_options).include_usage === true;
    return {
      ...TRANSLATED,
      ask,
      whole: writeWhole,
      writer: (stamp) => new TextWriter(stamp, includeUsage),
    };
  },
  refuse: refuseAsOpenai,
};

/** The schema was checked: the fields are what its type says. */
function checked(given: JsonObject, prompts: readonly unknown[]): CompletionRequest {
  const {
    model,
    prompt: _prompt,
    suffix,
    n,
    best_of,
    max_tokens,
    stop,
    echo,
    logprobs,
    stream,
    ...rest
  } = given;
  const { stream_options: _options, ...extras } = rest;
  const optional = {
    ...{ suffix, bestOf: best_of, maxTokens: max_tokens, echo, logprobs, stream },
    stop: typeof stop === "string" ? [stop] : stop,
  };
  const named = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { model, prompts, n: n ?? 1, extras, ...Object.fromEntries(named) } as CompletionRequest;
}

function refuseMany(ask: CompletionRequest, { choicesMax }: Limits): void {
  const { n = 1 } = toChat(ask);
  if (n <= choicesMax) return;
  const param = ask.prompts.length > choicesMax ? "prompt" : ask.bestOf === undefined ? "n" : "best_of";
  const message = `Invalid '${param}': the request asks for ${n} answers in all. Expected at most ${choicesMax}.`;
  throw new Fault("integer_above_max_value", message, { param });
}

function writeWhole({ choices, usage }: ChatReply, { id, created, model }: Stamp): JsonObject {
  const written = choices.map((choice) => writeChoice(choice, choice.message.content));
  return { id, object: "text_completion", created, model, choices: written, ...(usage ? { usage } : {}) };
}
