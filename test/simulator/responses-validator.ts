// Validates requests to OpenAI's Responses: fields, items, calls without outputs, and sealed thinking.
import { asArray, asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { checkCallOrder } from "./call-order.ts";
import { type Family, findFamily, listEfforts } from "./openai-families.ts";
import { imageUrl } from "./openai-shapes.ts";
import { checkReasoning } from "./responses-reasoning.ts";
import { checkTargetRows } from "./rules/target-rules.ts";
import { findStrictFlaw, findUnionFlaw } from "./schema-validator.ts";
import { OPENAI_SEARCH } from "./search-shapes.ts";
import type { Check, Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) =>
  is.shape(fields, { required, nullable: true });
const NAME = is.matching(/^[a-zA-Z0-9_-]{1,128}$/);
const CALL_ID = is.matching(/^.{1,64}$/s);

const inputParts = is.list(
  is.variant("type", {
    input_text: of({ type: is.anything, text: is.text, prompt_cache_breakpoint: is.record }, ["text"]),
    input_image: of({
      type: is.anything,
      image_url: imageUrl,
      file_id: is.text,
      detail: is.checkChoice("auto", "low", "high", "original"),
    }),
    input_file: of({
      type: is.anything,
      file_data: is.text,
      file_id: is.text,
      file_url: is.text,
      filename: is.text,
    }),
  }),
);
const outputParts = is.list(
  is.variant("type", {
    output_text: of({ type: is.anything, text: is.text, annotations: is.anything, logprobs: is.anything }, [
      "text",
    ]),
    refusal: of({ type: is.anything, refusal: is.text }, ["refusal"]),
  }),
);
const said = { type: is.anything, id: is.text, role: is.anything, status: is.text, phase: is.text };
const input = of({ ...said, content: is.textOr(inputParts) }, ["content"]);
const message = is.variant("role", {
  user: input,
  system: input,
  developer: input,
  assistant: of({ ...said, content: is.textOr(outputParts) }, ["content"]),
});
const item = is.variant("type", {
  message,
  function_call: of(
    {
      type: is.anything,
      id: is.text,
      call_id: CALL_ID,
      name: NAME,
      namespace: NAME,
      arguments: is.text,
      status: is.text,
    },
    ["call_id", "name", "arguments"],
  ),
  function_call_output: of(
    { type: is.anything, id: is.text, call_id: CALL_ID, output: is.textOr(inputParts), status: is.text },
    ["call_id", "output"],
  ),
  custom_tool_call: of(
    {
      type: is.anything,
      id: is.text,
      call_id: CALL_ID,
      name: NAME,
      namespace: NAME,
      input: is.text,
      status: is.text,
    },
    ["call_id", "name", "input"],
  ),
  custom_tool_call_output: of(
    { type: is.anything, id: is.text, call_id: CALL_ID, output: is.textOr(inputParts) },
    ["call_id", "output"],
  ),
  reasoning: of(
    {
      type: is.anything,
      id: is.text,
      summary: is.list(of({ type: is.checkChoice("summary_text"), text: is.text }, ["type", "text"])),
      content: is.anything,
      encrypted_content: is.text,
      status: is.text,
    },
    ["summary"],
  ),
  item_reference: of({ type: is.anything, id: is.text }, ["id"]),
  // "ResponseFunctionWebSearch": its id, status and action come back as they were.
  web_search_call: of({ type: is.anything, id: is.text, status: is.text, action: is.record }, [
    "id",
    "status",
  ]),
  additional_tools: (value, path) => additionalTools(value, path),
  // "Compaction" (OpenAI's API reference, November 2026): what a summary's maker reads, and the order to make one.
  compaction: of({ type: is.anything, id: is.text, encrypted_content: is.text }, ["encrypted_content"]),
  compaction_trigger: of({ type: is.anything, id: is.text }),
});
/** A message may omit its type. */
const anyItem: Check = (value, path) =>
  (isObject(value) && value.type === undefined ? message : item)(value, path);

const format = is.variant("type", {
  text: of({ type: is.anything }),
  json_object: of({ type: is.anything }),
  json_schema: of(
    { type: is.anything, name: NAME, description: is.text, schema: is.record, strict: is.flag },
    ["name", "schema"],
  ),
});
const toolKinds = {
  function: of(
    {
      type: is.anything,
      name: NAME,
      description: is.text,
      parameters: is.record,
      strict: is.flag,
      defer_loading: is.flag,
    },
    ["name", "parameters"],
  ),
  custom: of({ type: is.anything, name: NAME, description: is.text, format: is.record }, ["name"]),
};
const innerTool = is.variant("type", toolKinds);
const tool = is.variant("type", {
  ...toolKinds,
  namespace: of({ type: is.anything, name: NAME, description: is.text, tools: is.list(innerTool) }, [
    "name",
    "tools",
  ]),
  web_search: OPENAI_SEARCH,
});
/** Tools that apply to the rest of the conversation. */
const additionalTools = of({ type: is.anything, id: is.text, role: is.text, tools: is.list(tool) }, [
  "tools",
]);
const choice = is.wordOr(
  ["none", "auto", "required"],
  is.variant("type", {
    function: of({ type: is.anything, name: is.text }, ["name"]),
    custom: of({ type: is.anything, name: is.text }, ["name"]),
    allowed_tools: of(
      { type: is.anything, mode: is.checkChoice("auto", "required"), tools: is.list(is.record) },
      ["mode", "tools"],
    ),
    web_search: of({ type: is.anything }),
  }),
);
const request = of(
  {
    model: is.text,
    input: is.textOr(is.list(anyItem, 1)),
    instructions: is.text,
    include: is.list(is.text),
    max_output_tokens: is.integer(16),
    max_tool_calls: is.integer(1),
    metadata: is.metadata,
    parallel_tool_calls: is.flag,
    previous_response_id: is.text,
    prompt: is.record,
    prompt_cache_key: is.textUpTo(is.IDENTIFIER_CHARACTERS_MAX),
    prompt_cache_options: is.record,
    prompt_cache_retention: is.checkChoice("in_memory", "24h"),
    reasoning: of({
      effort: is.checkChoice("none", "minimal", "low", "medium", "high", "xhigh", "max"),
      summary: is.checkChoice("auto", "concise", "detailed"),
      context: is.text,
    }),
    safety_identifier: is.textUpTo(is.IDENTIFIER_CHARACTERS_MAX),
    service_tier: is.checkChoice("auto", "default", "flex", "scale", "priority", "fast"),
    store: is.flag,
    stream: is.flag,
    stream_options: of({ include_obfuscation: is.flag }),
    temperature: is.number(0, 2),
    text: of({ format, verbosity: is.checkChoice("low", "medium", "high") }),
    tool_choice: choice,
    tools: is.list(tool),
    top_logprobs: is.integer(0, 20),
    top_p: is.number(0, 1),
    truncation: is.checkChoice("auto", "disabled"),
    user: is.textUpTo(is.IDENTIFIER_CHARACTERS_MAX),
    background: is.flag,
    conversation: is.anything,
    moderation: is.record,
    client_metadata: is.record,
  },
  ["model", "input"],
);

function rejectUnsupported(field: string): never {
  return reject(
    "unsupported",
    `Unsupported parameter: '${field}' is not supported with this model.`,
    [field],
    "unsupported_parameter",
  );
}

function checkFamily(body: JsonObject, family: Family): void {
  const { effort } = asObject(body.reasoning);
  if (typeof effort === "string" && family.efforts.length === 0) rejectUnsupported("reasoning.effort");
  if (typeof effort === "string" && !family.efforts.includes(effort))
    reject(
      "unsupported",
      `Unsupported value: '${effort}' is not supported with the '${String(body.model)}' model. Supported values are: ${listEfforts(family)}.`,
      ["reasoning", "effort"],
      "unsupported_value",
    );
  if (family.efforts.length === 0 || (effort ?? family.effort) === "none") return;
  for (const field of ["temperature", "top_p"]) {
    const given = body[field] ?? null;
    if (given !== null && given !== 1) rejectUnsupported(field);
  }
  if ((body.top_logprobs ?? null) !== null && body.top_logprobs !== 0) rejectUnsupported("top_logprobs");
}

/** LiteLLM, issue 38792, August 2026. */
const REFUSES_UNIONS = /^(gpt-4|chatgpt-4|o[134])/;

function checkSchemas(body: JsonObject): void {
  const isPlain = REFUSES_UNIONS.test(String(body.model));
  asArray(body.tools).forEach((each, at) => {
    const { strict, parameters, name, type } = asObject(each);
    // Without `strict`, Responses tries strict mode and accepts schemas that can't be strict.
    const union = isPlain && type === "function" ? findUnionFlaw(parameters) : null;
    const flaw = union ?? (type === "function" && strict === true ? findStrictFlaw(parameters) : null);
    if (flaw !== null)
      reject(
        "value",
        `Invalid schema for function '${String(name)}': ${flaw}`,
        ["tools", at, "parameters"],
        "invalid_function_parameters",
      );
  });
  const asked = asObject(asObject(body.text).format);
  const flaw = asked.strict === true ? findStrictFlaw(asked.schema) : null;
  if (flaw !== null)
    reject(
      "value",
      `Invalid schema for response_format '${String(asked.name)}': ${flaw}`,
      ["text", "format", "schema"],
      "invalid_json_schema",
    );
}

/** Fields of a response that a request for a summary doesn't have ("Compact a response" in the same reference). */
const NOT_COMPACTED = [
  "stream",
  "store",
  "include",
  "background",
  "metadata",
  "max_output_tokens",
  "max_tool_calls",
];

function checkCompaction(body: JsonObject): void {
  for (const field of NOT_COMPACTED)
    if (field in body) reject("unknown", `Unknown parameter: '${field}'.`, [field]);
}

/** On both paths, a trigger may only be the last item (Soju06/codex-lb, pull request 1749). */
function checkTrigger(body: JsonObject): void {
  const input = asArray(body.input).map(asObject);
  if (input.slice(0, -1).some(({ type }) => type === "compaction_trigger"))
    reject("value", "The 'compaction_trigger' item must be the final input item.", ["input"]);
}

/** Throws a Rejection for a request that OpenAI refuses ("API reference: Responses", "Conversation state: reasoning items"). */
export function checkResponsesRequest(body: JsonObject, model: string, path: string): void {
  request(body, []);
  if (path.endsWith("/compact")) checkCompaction(body);
  checkTrigger(body);
  checkCallOrder(body.input);
  checkReasoning(body);
  checkSchemas(body);
  checkTargetRows(body, model);
  const family = findFamily(model);
  if (family) checkFamily(body, family);
}
