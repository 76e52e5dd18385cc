// Explains a missing field by what the request has instead: another API's field, or another API's name for it.
import { Fault } from "../core/faults/fault.ts";
import type { JsonObject } from "../core/json/json.ts";

/** Fields that tell a request for another API, with the routes that take them. */
const HOMES: Readonly<Record<string, string>> = {
  messages: "POST /v1/chat/completions, or in Anthropic's format to /v1/messages",
  contents: "POST /v1beta/models/{model}:generateContent",
  documents: "POST /v1/rerank",
  query: "POST /v1/rerank",
  input: "POST /v1/responses, or to /v1/embeddings for vectors",
  prompt: "POST /v1/completions, or to /v1/images/generations for images",
};

/** Other APIs' names for a field that is required. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  input: ["prompt", "inputs", "text", "texts"],
  max_tokens: ["max_completion_tokens", "max_output_tokens", "max_new_tokens"],
  documents: ["texts", "passages"],
};

/** Examples of required fields. */
const EXAMPLES: Readonly<Record<string, string>> = {
  model: " Name one, such as 'Router#best'; GET /v1/models lists them.",
  messages: ' Send \'messages\' as [{"role": "user", "content": "…"}].',
  contents: ' Send \'contents\' as [{"role": "user", "parts": [{"text": "…"}]}].',
  max_tokens: " It is the most tokens that the answer may have, such as 1024.",
  "response_format.json_schema":
    ' Send {"type": "json_schema", "json_schema": {"name": "…", "schema": {…}}}.',
};

/** OpenRouter's clients name several models, each for when the one before it fails. */
const ONE_MODEL =
  "Missing required parameter: 'model'. It names one model; 'models', a list of fallbacks, is OpenRouter's. Name an alias that the operator made for several models, or 'Router#best'.";

/**
 * Returns the Fault of a missing field with a hint at what the request has instead. Returns any other Fault unchanged.
 * `known` are the fields of the API.
 */
export function explainMissing(fault: Fault, given: JsonObject, known: object): Fault {
  const { param } = fault.details;
  if (param === "model" && Array.isArray(given.models))
    return new Fault(fault.code, ONE_MODEL, fault.details);
  const isMistyped = fault.message.includes("did you mean");
  if (fault.code !== "missing_required_parameter" || !param || isMistyped) return fault;
  const isSent = (field: string) => given[field] !== undefined && !Object.hasOwn(known, field);
  const name = OTHER_NAMES[param]?.find(isSent);
  const isStored = Object.hasOwn(Object(given.prompt), "id");
  const field = Object.keys(HOMES).find((one) => isSent(one) && !(one === "prompt" && isStored));
  if (name !== undefined) return withHint(fault, ` This API calls '${name}' '${param}': rename it.`);
  const home = field === undefined ? "" : ` '${field}' belongs to ${HOMES[field]}.`;
  return withHint(fault, `${home}${EXAMPLES[param] ?? ""}`);
}

function withHint({ code, message, details }: Fault, hint: string): Fault {
  return new Fault(code, message + hint, details);
}
