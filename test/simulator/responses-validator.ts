// Validates requests to OpenAI's Responses: fields, items, calls without outputs, and sealed thinking.
import { asArray, asObject, isObject, type JsonObject } from "../../src/core/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { sign } from "../../src/simulator/responder.ts";
import { THOUGHT_CALL } from "../../src/simulator/responses.ts";
import { checkCallOrder } from "./call-order.ts";
import { type Family, findFamily } from "./openai-families.ts";
import { imageUrl } from "./openai-shapes.ts";
import { findStrictFlaw } from "./schema-validator.ts";
import {
  anything,
  type Check,
  checkChoice,
  type Fields,
  flag,
  integer,
  list,
  matching,
  number,
  record,
  shape,
  text,
  textOr,
  variant,
  wordOr,
} from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => shape(fields, { required, nullable: true });
const NAME = matching(/^[a-zA-Z0-9_-]{1,128}$/);
const CALL_ID = matching(/^.{1,64}$/s);

const inputParts = list(
  variant("type", {
    input_text: of({ type: anything, text, prompt_cache_breakpoint: record }, ["text"]),
    input_image: of({
      type: anything,
      image_url: imageUrl,
      file_id: text,
      detail: checkChoice("auto", "low", "high", "original"),
    }),
    input_file: of({ type: anything, file_data: text, file_id: text, file_url: text, filename: text }),
  }),
);
const outputParts = list(
  variant("type", {
    output_text: of({ type: anything, text, annotations: anything, logprobs: anything }, ["text"]),
    refusal: of({ type: anything, refusal: text }, ["refusal"]),
  }),
);
const said = { type: anything, id: text, role: anything, status: text, phase: text };
const input = of({ ...said, content: textOr(inputParts) }, ["content"]);
const message = variant("role", {
  user: input,
  system: input,
  developer: input,
  assistant: of({ ...said, content: textOr(outputParts) }, ["content"]),
});
const item = variant("type", {
  message,
  function_call: of(
    {
      type: anything,
      id: text,
      call_id: CALL_ID,
      name: NAME,
      namespace: NAME,
      arguments: text,
      status: text,
    },
    ["call_id", "name", "arguments"],
  ),
  function_call_output: of(
    { type: anything, id: text, call_id: CALL_ID, output: textOr(inputParts), status: text },
    ["call_id", "output"],
  ),
  custom_tool_call: of(
    { type: anything, id: text, call_id: CALL_ID, name: NAME, namespace: NAME, input: text, status: text },
    ["call_id", "name", "input"],
  ),
  custom_tool_call_output: of({ type: anything, id: text, call_id: CALL_ID, output: textOr(inputParts) }, [
    "call_id",
    "output",
  ]),
  reasoning: of(
    {
      type: anything,
      id: text,
      summary: list(of({ type: checkChoice("summary_text"), text }, ["type", "text"])),
      content: anything,
      encrypted_content: text,
      status: text,
    },
    ["summary"],
  ),
  item_reference: of({ type: anything, id: text }, ["id"]),
  additional_tools: (value, path) => additionalTools(value, path),
});
/** A message may leave its type out. */
const anyItem: Check = (value, path) =>
  (isObject(value) && value.type === undefined ? message : item)(value, path);

const format = variant("type", {
  text: of({ type: anything }),
  json_object: of({ type: anything }),
  json_schema: of({ type: anything, name: NAME, description: text, schema: record, strict: flag }, [
    "name",
    "schema",
  ]),
});
const toolKinds = {
  function: of(
    { type: anything, name: NAME, description: text, parameters: record, strict: flag, defer_loading: flag },
    ["name", "parameters"],
  ),
  custom: of({ type: anything, name: NAME, description: text, format: record }, ["name"]),
};
const innerTool = variant("type", toolKinds);
const tool = variant("type", {
  ...toolKinds,
  namespace: of({ type: anything, name: NAME, description: text, tools: list(innerTool) }, ["name", "tools"]),
  web_search: record,
});
/** Tools that hold from here on in the conversation. */
const additionalTools = of({ type: anything, id: text, role: text, tools: list(tool) }, ["tools"]);
const choice = wordOr(
  ["none", "auto", "required"],
  variant("type", {
    function: of({ type: anything, name: text }, ["name"]),
    custom: of({ type: anything, name: text }, ["name"]),
    allowed_tools: of({ type: anything, mode: checkChoice("auto", "required"), tools: list(record) }, [
      "mode",
      "tools",
    ]),
    web_search: of({ type: anything }),
  }),
);
const request = of(
  {
    model: text,
    input: textOr(list(anyItem, 1)),
    instructions: text,
    include: list(text),
    max_output_tokens: integer(16),
    max_tool_calls: integer(1),
    metadata: record,
    parallel_tool_calls: flag,
    previous_response_id: text,
    prompt: record,
    prompt_cache_key: text,
    prompt_cache_options: record,
    prompt_cache_retention: checkChoice("in_memory", "24h"),
    reasoning: of({
      effort: checkChoice("none", "minimal", "low", "medium", "high", "xhigh", "max"),
      summary: checkChoice("auto", "concise", "detailed"),
      context: text,
    }),
    safety_identifier: text,
    service_tier: checkChoice("auto", "default", "flex", "scale", "priority", "fast"),
    store: flag,
    stream: flag,
    stream_options: of({ include_obfuscation: flag }),
    temperature: number(0, 2),
    text: of({ format, verbosity: checkChoice("low", "medium", "high") }),
    tool_choice: choice,
    tools: list(tool),
    top_logprobs: integer(0, 20),
    top_p: number(0, 1),
    truncation: checkChoice("auto", "disabled"),
    user: text,
    background: flag,
    conversation: anything,
    moderation: record,
    client_metadata: record,
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
      `Unsupported value: '${effort}' is not supported with this model. Supported values are: ${family.efforts.join(", ")}.`,
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

function checkSchemas(body: JsonObject): void {
  asArray(body.tools).forEach((each, at) => {
    const { strict, parameters, name, type } = asObject(each);
    // Without `strict`, Responses tries strict mode and accepts schemas that can't be strict.
    const flaw = type === "function" && strict === true ? findStrictFlaw(parameters) : null;
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

function isSealed(content: unknown): boolean {
  const [secret = "", seal] = String(content)
    .replace(/^gAAAA/, "")
    .split(".");
  return seal === sign(secret);
}

/** Thinking must come back unchanged, sealed if nothing is stored, and with the item that followed it. */
function checkReasoning(body: JsonObject): void {
  const items = asArray(body.input).map(asObject);
  items.forEach((each, at) => {
    if (each.type !== "reasoning") return;
    const content = each.encrypted_content ?? null;
    if (content === null && body.store === false)
      reject(
        "not_found",
        `Item with id '${String(each.id)}' not found. Items are not persisted when \`store\` is set to false.`,
        ["input"],
      );
    if (content !== null && !isSealed(content))
      reject(
        "value",
        `The encrypted content for item ${String(each.id)} could not be verified.`,
        ["input", at],
        "invalid_encrypted_content",
      );
    const next = items[at + 1];
    if (next === undefined || next.role === "user" || String(next.type).endsWith("_output"))
      reject(
        "value",
        `Item '${String(each.id)}' of type 'reasoning' was provided without its required following item.`,
        ["input", at],
      );
  });
  items.forEach((each, at) => {
    if (!String(each.id).startsWith(THOUGHT_CALL)) return;
    const before = items.slice(0, at).findLast(({ type }) => type !== "function_call");
    if (before?.type !== "reasoning")
      reject(
        "value",
        `Item '${String(each.id)}' of type 'function_call' was provided without its required 'reasoning' item.`,
        ["input", at],
      );
  });
}

/** Throws a Rejection for a request that OpenAI refuses ("API reference: Responses", "Conversation state: reasoning items"). */
export function checkResponsesRequest(body: JsonObject, model: string): void {
  request(body, []);
  checkCallOrder(body.input);
  checkReasoning(body);
  checkSchemas(body);
  const family = findFamily(model);
  if (family) checkFamily(body, family);
}
