// A chat-completion request as a call of Perplexity's Agent API (`POST {base}/agent`), which refuses unknown fields.

import { Fault } from "../../core/faults/fault.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { ChatRequest, ContentPart } from "../../operations/chat/form.ts";
import { joinText, RESULT_GAP } from "../../operations/chat/prompt/content-text.ts";
import { sayAtEnd } from "../../operations/chat/prompt/say-at-end.ts";
import { keepSearchOptions } from "../../operations/chat/prompt/web-search.ts";
import type { Passing } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import {
  clampOutputLimit,
  leaveOutRest,
  makeCall,
  passRest,
  pickFields,
  raiseOutputLimit,
} from "../_chat/outgoing.ts";
import { writeJsonInstruction } from "../_chat/schemas/schema.ts";
import { loosenTools } from "../_chat/schemas/strict-tools.ts";
import { flattenToolResults } from "../_chat/tool-results.ts";
import { toFunctionCall } from "../_chat/tools.ts";
import { type InputForm, makeInputItems } from "../_responses/input.ts";
import { isServedBy, type ModelTraits } from "./models.ts";
import { listToolNames, makeToolFields, type PerplexityToolNames, SEARCH_FIELDS } from "./tools.ts";

const OUTPUT_TOKENS_MIN = 16;
/** The API refuses a call of a Claude model without a limit. Every Claude since 4.1 accepts this one. */
const CLAUDE_OUTPUT_TOKENS = 32_000;

/** Fields with the same name and meaning in both APIs. */
const SAME = [
  "temperature",
  "top_p",
  "parallel_tool_calls",
  "metadata",
  "store",
  "language_preference",
] as const;

const CARRIED: ReadonlySet<string> = new Set([...SAME, ...SEARCH_FIELDS, "disable_search"]);

/** The options of a search that its tool has, too. */
const OPTIONS = ["search_context_size", "user_location", "allowed_domains", "blocked_domains"] as const;

/** JSON without a schema can't be enforced here, so it is requested in words. */
const JSON_WISH = writeJsonInstruction();

export function fit(request: ChatRequest, _card: ModelCard, operator: Passing): ChangedAsk<ChatRequest> {
  const tools = loosenTools(request);
  const rest = leaveOutRest(tools.ask, CARRIED, [], operator);
  const { ask, dropped } = raiseOutputLimit(rest, OUTPUT_TOKENS_MIN);
  const search = keepSearchOptions(ask, OPTIONS);
  return { ask: search.ask, dropped: [...tools.dropped, ...dropped, ...search.dropped] };
}

/** Makes the call for a request. Throws `unsupported_capability` for audio and files. */
export function encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const served = isServedBy(card.name);
  const names = listToolNames(request);
  const limit = clampOutputLimit(request, card, "max_output_tokens");
  const effort = chooseEffort(request, card);
  const format = makeFormat(request);
  const wantsJson = request.response_format?.type === "json_object";
  const messages = sayAtEnd(request.messages, wantsJson ? JSON_WISH : "");
  const extras = passRest(request, CARRIED, [], target);
  const body: JsonObject = {
    ...extras.fields,
    ...served.selects,
    input: makeInputItems(flattenToolResults(messages), inputForm(names)),
    ...(request.stream ? { stream: true } : {}),
    ...chooseLimit(served, card),
    ...limit.fields,
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...(format === undefined ? {} : { response_format: format }),
    ...makeToolFields(request, served, names),
    ...pickFields(request, SAME),
  };
  const dropped = [
    ...extras.dropped,
    ...limit.dropped,
    ...(effort === request.reasoning_effort ? [] : ["reasoning_effort"]),
    ...(wantsJson ? ["response_format"] : []),
  ];
  return makeCall(target, "/agent", body, dropped);
}

function chooseLimit({ selects }: ModelTraits, card: ModelCard): JsonObject {
  if (!("model" in selects) || !selects.model.startsWith("anthropic/")) return {};
  return { max_output_tokens: card.outputTokensMax ?? CLAUDE_OUTPUT_TOKENS };
}

/** The lowest effort is `minimal`. A model known not to reason gets none. */
function chooseEffort(request: ChatRequest, card: ModelCard): string | undefined {
  if (card.listed && !card.capabilities.has("reasoning")) return undefined;
  return request.reasoning_effort === "none" ? "minimal" : request.reasoning_effort;
}

/** Only schemas can be enforced. Text is the default. */
function makeFormat(request: ChatRequest): JsonObject | undefined {
  const format = request.response_format;
  return format?.type === "json_schema" ? { type: format.type, json_schema: format.json_schema } : undefined;
}

function inputForm(names: PerplexityToolNames): InputForm {
  return {
    part: inputPart,
    said: (parts) => parts.map((part) => (part.type === "text" ? part.text : part.refusal)).join(""),
    thought: () => [],
    call(given) {
      const call = toFunctionCall(given, true);
      const { name, arguments: input } = call.function;
      const signature = asString(asObject(asObject(call.extra_content).google).thought_signature);
      return {
        type: "function_call",
        call_id: call.id,
        name: names.upstream(name),
        arguments: input,
        ...(signature === undefined ? {} : { thought_signature: signature }),
      };
    },
    result(message, call) {
      const name = call?.type === "function" ? call.function.name : call?.custom.name;
      return {
        type: "function_call_output",
        call_id: message.tool_call_id,
        ...(name === undefined ? {} : { name: names.upstream(name) }),
        output: joinText(message.content, RESULT_GAP),
      };
    },
  };
}

function inputPart(part: ContentPart, param: string): JsonObject {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "input_text", text: joinText([part]) };
    case "image_url":
      return { type: "input_image", image_url: part.image_url.url };
    case "file":
    case "input_audio":
    case "video_url":
      throw new Fault("unsupported_capability", "This model only accepts text and images.", { param });
  }
}
