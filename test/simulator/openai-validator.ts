// Validates requests to OpenAI's Chat Completions beyond their shape: the order of messages, schemas, and the limits of each family of models.
import { asArray, asNumber, asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { REFUSAL_SENTENCES } from "../../src/core/models/words/refusal.ts";
import { SIM_MODELS } from "../../src/simulator/models.ts";
import { formatBracketedPath, reject } from "../../src/simulator/problem.ts";
import { checkToolOrder } from "./call-order.ts";
import {
  type Family,
  findFamily,
  isReasoning,
  listEfforts,
  takesToolsWhileReasoning,
} from "./openai-families.ts";
import { LENIENT_REQUEST, STRICT_REQUEST } from "./openai-shapes.ts";
import { checkTargetRows } from "./rules/target-rules.ts";
import { findStrictFlaw, findUnionFlaw } from "./schema-validator.ts";
import { checkTemplate } from "./template-guards.ts";

/** Fields that are refused while the model reasons. */
const NOT_WHILE_REASONING = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
] as const;

function rejectUnsupported(field: string, instead = ""): never {
  return reject(
    "unsupported",
    `Unsupported parameter: '${field}' is not supported with this model.${instead}`,
    [field],
    "unsupported_parameter",
  );
}

/** Default values are accepted even where the field is refused ("Only the default (1) value is supported"). */
const DEFAULTS: JsonObject = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
};

function checkReasoning(body: JsonObject, model: string, family: Family): void {
  const effort = body.reasoning_effort ?? null;
  if (effort !== null && family.efforts.length === 0) rejectUnsupported("reasoning_effort");
  if (effort !== null && !family.efforts.some((each) => each === effort))
    reject(
      "unsupported",
      `Unsupported value: 'reasoning_effort' does not support '${String(effort)}' with this model. Supported values are: ${listEfforts(family)}.`,
      ["reasoning_effort"],
      "unsupported_value",
    );
  if (family.efforts.length === 0) return;
  if ((body.max_tokens ?? null) !== null)
    rejectUnsupported("max_tokens", " Use 'max_completion_tokens' instead.");
  if (/^(o3(?!-mini)|o4|gpt-[5-9])/.test(model) && (body.stop ?? null) !== null) rejectUnsupported("stop");
  if (!isReasoning(body, family)) return;
  for (const field of NOT_WHILE_REASONING) {
    const given = body[field] ?? null;
    if (given !== null && given !== DEFAULTS[field]) rejectUnsupported(field);
  }
  if (asArray(body.tools).length > 0 && !takesToolsWhileReasoning(model)) rejectTools(model);
}

const [UNTIL_GPT_5_5 = "", SINCE_GPT_5_6 = ""] = REFUSAL_SENTENCES.filter(({ refuses }) =>
  refuses.includes("tools_with_effort"),
).map(({ says }) => says);

function rejectTools(model: string): never {
  const says = /^gpt-5\.[45]/.test(model) ? UNTIL_GPT_5_5 : SINCE_GPT_5_6;
  return reject("unsupported", says.replace("*", model), ["reasoning_effort"]);
}

function checkSchemas(body: JsonObject): void {
  asArray(body.tools).forEach((each, at) => {
    const { strict, parameters, name } = asObject(asObject(each).function);
    const flaw = findUnionFlaw(parameters) ?? (strict === true ? findStrictFlaw(parameters) : null);
    if (flaw !== null)
      reject(
        "value",
        `Invalid schema for function '${String(name)}': ${flaw}`,
        ["tools", at, "function", "parameters"],
        "invalid_function_parameters",
      );
  });
  const format = asObject(asObject(body.response_format).json_schema);
  const flaw = format.strict === true ? findStrictFlaw(format.schema) : null;
  if (flaw !== null)
    reject("value", `Invalid schema for response_format '${String(format.name)}': ${flaw}`, [
      "response_format",
    ]);
}

function checkMessages(body: JsonObject): void {
  const messages = asArray(body.messages);
  checkToolOrder(messages, {
    stray: () => "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    unanswered: (ids) =>
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
  });
  messages.forEach((each, at) => {
    const { role, content, tool_calls: calls, audio, refusal } = asObject(each);
    if (role !== "assistant" || (content ?? calls ?? audio ?? refusal ?? null) !== null) return;
    reject("type", `Invalid value for 'content': expected a string, got null.`, ["messages", at, "content"]);
  });
}

/** OpenAI takes a file inline only with its name (openai-agents-python, pull request 1513, August 2025). */
function checkFiles(body: JsonObject): void {
  asArray(body.messages).forEach((message, at) => {
    asArray(asObject(message).content).forEach((part, place) => {
      const { file_data: data, file_id: id, filename } = asObject(asObject(part).file);
      if (data === undefined || id !== undefined || filename) return;
      const path = ["messages", at, "content", place, "file", "file_id"];
      const words = `Missing required parameter: '${formatBracketedPath(path)}'.`;
      reject("missing", words, path, "missing_required_parameter");
    });
  });
}

function checkTools(body: JsonObject): void {
  if (asArray(body.tools).length > 0) return;
  for (const field of ["tool_choice", "parallel_tool_calls"])
    if ((body[field] ?? null) !== null && body[field] !== "none")
      reject(
        "value",
        `Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`,
        [field],
      );
}

/** Refuses tools, images and output limits that a model of `Sim` doesn't support. */
function checkAbilities(body: JsonObject, model: string): void {
  const card = SIM_MODELS.find(({ name }) => name === model);
  if (!card) return;
  if (asArray(body.tools).length > 0 && !card.capabilities.includes("tools")) rejectUnsupported("tools");
  const kinds = asArray(body.messages)
    .flatMap((message) => asArray(asObject(message).content))
    .map((part) => asObject(part).type);
  if (kinds.includes("image_url") && !card.capabilities.includes("vision"))
    reject("value", "Invalid content type. image_url is only supported by certain models.", ["messages"]);
  const limit = asNumber(body.max_completion_tokens) ?? asNumber(body.max_tokens) ?? 0;
  if (limit > (card.outputTokensMax ?? Infinity))
    reject(
      "value",
      `max_tokens is too large: ${limit}. This model supports at most ${card.outputTokensMax} completion tokens, whereas you provided ${limit}.`,
      ["max_tokens"],
    );
}

/** DeepSeek's models read no pictures and files. */
function checkTexts(body: JsonObject): void {
  asArray(body.messages).forEach((each, at) => {
    const other = asArray(asObject(each).content)
      .map((part) => asObject(part).type)
      .find((type) => type !== "text");
    if (other === undefined) return;
    reject("value", `messages[${at}]: unknown variant \`${String(other)}\`, expected \`text\``, ["messages"]);
  });
}

/** DeepSeek requires the thinking of each turn with calls ("Thinking mode: tool calls"). */
function checkDeepSeek(body: JsonObject): void {
  asArray(body.messages).forEach((each, at) => {
    if (!isObject(each) || !each.tool_calls || typeof each.reasoning_content === "string") return;
    reject("value", `Missing \`reasoning_content\` field in the assistant message at message index ${at}.`);
  });
}

/** Throws a Rejection for a request that OpenAI refuses, or, for a model that isn't OpenAI's, a compatible server. */
export function checkChatRequest(body: JsonObject, model: string): void {
  const family = findFamily(model);
  if (family) STRICT_REQUEST(body, []);
  else LENIENT_REQUEST(body, []);
  if ((body.stream_options ?? null) !== null && body.stream !== true)
    reject("value", "The 'stream_options' parameter is only allowed when 'stream' is enabled.", [
      "stream_options",
    ]);
  if (asNumber(body.top_logprobs) !== undefined && body.logprobs !== true)
    reject("value", "'top_logprobs' is only allowed when 'logprobs' is enabled.", ["top_logprobs"]);
  checkMessages(body);
  if (!family) checkTemplate(body.messages, model);
  checkTools(body);
  checkSchemas(body);
  checkAbilities(body, model);
  checkTargetRows(body, model);
  if (/deepseek/i.test(model)) checkTexts(body);
  if (/deepseek/i.test(model) && asObject(body.thinking).type !== "disabled") checkDeepSeek(body);
  if (!family) return;
  if (!family.chat)
    reject("not_found", "This model is only supported in v1/responses and not in v1/chat/completions.", [
      "model",
    ]);
  checkReasoning(body, model, family);
  checkFiles(body);
  if (asObject(body.response_format).type === "json_object" && !/json/i.test(JSON.stringify(body.messages)))
    reject(
      "value",
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      ["messages"],
    );
}
