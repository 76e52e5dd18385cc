// The fields and forms of a request that a stranger may refuse, in each API: where they stand in a body, and which of them a
// gateway may change without changing what was asked.
import { asArray, asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";

export const WIRES = ["chat", "responses", "messages", "gemini"] as const;
export type Wire = (typeof WIRES)[number];

interface Refusable {
  readonly isIn: (body: JsonObject) => boolean;
  /**
   * False for what bounds the cost, says who may see, keep or answer, or what the answer must be: leaving it out would change
   * what was asked.
   */
  readonly canChange: boolean;
  /** Things of one kind, of which a server refuses one at most: without both names of a limit there would be none. */
  readonly kind?: string;
}

/** Fields that may be left out, and such that may not, by their paths. */
const CHANGED: Readonly<Record<Wire, readonly string[]>> = {
  chat: [
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "parallel_tool_calls",
    "stream_options",
    "reasoning_effort",
    "prompt_cache_key",
    "tools.*.function.strict",
    "messages.*.reasoning_content",
  ],
  responses: [
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "prompt_cache_key",
    "reasoning.effort",
    "x_trace",
  ],
  messages: [
    "temperature",
    "top_p",
    "top_k",
    "context_management",
    "output_config.effort",
    "x_trace",
    "tools.*.eager_input_streaming",
    "system.*.cache_control.scope",
  ],
  gemini: [
    "generationConfig.temperature",
    "generationConfig.topP",
    "generationConfig.seed",
    "generationConfig.presencePenalty",
    "generationConfig.frequencyPenalty",
    "generationConfig.thinkingConfig",
  ],
};
const KEPT: Readonly<Record<Wire, readonly string[]>> = {
  chat: ["response_format", "stop", "store", "service_tier", "tools"],
  responses: ["store", "service_tier", "max_output_tokens", "tools"],
  messages: ["stop_sequences", "service_tier", "tools"],
  gemini: [
    "generationConfig.responseMimeType",
    "generationConfig.stopSequences",
    "generationConfig.maxOutputTokens",
  ],
};
/** The two names of one limit: the other one takes its value. */
const LIMITS = ["max_tokens", "max_completion_tokens"];

/** Returns the paths of the fields that a server may refuse. */
export function listFields(wire: Wire): readonly string[] {
  return [...CHANGED[wire], ...KEPT[wire], ...(wire === "chat" ? LIMITS : [])];
}

/** Returns what is refused by a field's path or a form's name. Null if the API has no such form. */
export function findRefusable(wire: Wire, name: string): Refusable | null {
  const field = findField(wire, name);
  if (field !== null) return field;
  const form = FORMS[name];
  const isIn = form?.[wire];
  return isIn === undefined ? null : { isIn, canChange: form?.canChange !== false, ...KINDS[name] };
}

function findField(wire: Wire, path: string): Refusable | null {
  const steps = path.split(".");
  const isIn = (body: JsonObject) => hasPath(body, steps);
  if (wire === "chat" && LIMITS.includes(path)) return { isIn, canChange: true, kind: "limit" };
  if (CHANGED[wire].includes(path)) return { isIn, canChange: true };
  return KEPT[wire].includes(path) ? { isIn, canChange: false } : null;
}

function hasPath(value: unknown, [step, ...others]: readonly string[]): boolean {
  if (step === undefined) return isThere(value);
  if (step === "*") return asArray(value).some((item) => hasPath(item, others));
  return hasPath(asObject(value)[step], others);
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && (!Array.isArray(value) || value.length > 0);
}

type Form = Readonly<Partial<Record<Wire, (body: JsonObject) => boolean>>> & { readonly canChange?: false };

const KINDS: Readonly<Record<string, { readonly kind: string }>> = { max_tokens: { kind: "limit" } };

const messages = ({ messages: list }: JsonObject) => asArray(list).map(asObject);
const isSystem = ({ role }: JsonObject) => role === "system" || role === "developer";
const hasType = (value: unknown, types: readonly string[]): boolean =>
  findObjects(value).some(({ type }) => types.includes(String(type)));
const isThinking = ({ reasoning_effort: effort = "none", thinking }: JsonObject) =>
  effort !== "none" || ["enabled", "adaptive"].includes(String(asObject(thinking).type));
const hasTools = ({ tools }: JsonObject) => asArray(tools).length > 0;
const hasPicture = (body: JsonObject) =>
  hasType([body.messages, body.input], ["image_url", "image", "input_image"]);
const isForced = ({ tool_choice: choice }: JsonObject) =>
  choice === "required" || ["any", "tool", "function"].includes(String(asObject(choice).type));

/** Forms by the names that the sentences have for them. */
const FORMS: Readonly<Record<string, Form>> = {
  effort: { chat: ({ reasoning_effort: effort = "none" }) => effort !== "none" && effort !== "default" },
  "named tool": { chat: ({ tool_choice: choice }) => isObject(choice) },
  "named tool while thinking": {
    chat: (body) => isForced(body) && isThinking(body),
    messages: (body) => isForced(body) && isThinking(body),
  },
  "several system messages": { chat: (body) => messages(body).filter(isSystem).length > 1 },
  "late system message": {
    chat: (body) => messages(body).slice(1).some(isSystem),
    messages: (body) => messages(body).some(isSystem),
  },
  "developer message": { chat: (body) => messages(body).some(({ role }) => role === "developer") },
  "tool result in parts": {
    chat: (body) => messages(body).some(({ role, content }) => role === "tool" && Array.isArray(content)),
  },
  $ref: { chat: ({ tools }) => findObjects(tools).some(({ $ref }) => typeof $ref === "string") },
  "enum without a type": {
    chat: ({ tools }) => findObjects(tools).some((one) => Array.isArray(one.enum) && one.type === undefined),
  },
  max_tokens: { chat: ({ max_tokens: most }) => isThere(most) },
  "tools with an effort": { chat: (body) => hasTools(body) && isThinking(body) },
  "file without a name": {
    chat: (body) => findObjects(body.messages).some(({ file }) => isObject(file) && !file.filename),
  },
  "empty text beside calls": {
    chat: (body) =>
      messages(body).some(({ content, tool_calls: calls }) => content === "" && asArray(calls).length > 0),
  },
  picture: { chat: hasPicture, responses: hasPicture, messages: hasPicture, canChange: false },
  tools: { chat: hasTools, canChange: false },
  response_format: {
    chat: ({ response_format: format }) => isThere(format),
    responses: ({ text }) => isObject(asObject(text).format),
    canChange: false,
  },
};

/** Returns every object in a value, outer ones first. */
function findObjects(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(findObjects);
  if (!isObject(value)) return [];
  return [value, ...Object.values(value).flatMap(findObjects)];
}
