// What Anthropic's Messages interface refuses: fields, the order of turns and blocks, and what a generation of models doesn't take.
import { arrayOf, isObject, type JsonObject, numberOf, objectOf } from "../core/json.ts";
import { sign } from "./brain.ts";
import { checkAnthropicSchema } from "./schema.ts";
import {
  anything,
  base64,
  type Check,
  type Fields,
  flag,
  IMAGE_TYPES,
  integer,
  list,
  matching,
  number,
  oneOf,
  type Path,
  record,
  reject,
  shape,
  text,
  textOr,
  variant,
} from "./strict.ts";

const CACHE_MARKS_MAX = 4;
const of = (fields: Fields, required: readonly string[] = []) => shape(fields, { required });
const cache = of({ type: oneOf("ephemeral"), ttl: oneOf("5m", "1h") }, ["type"]);
const toolId = matching(/^[a-zA-Z0-9_-]+$/);
const toolName = matching(/^[a-zA-Z0-9_-]{1,128}$/);
const marked: Check = (value, path) => value === null || cache(value, path);
const mark = { type: anything, cache_control: marked };
const fullText: Check = (value, path) => {
  text(value, path);
  if (String(value).trim() === "") reject("value", "text content blocks must be non-empty", path);
};

const imageSource = variant("type", {
  base64: of({ type: anything, media_type: oneOf(...IMAGE_TYPES), data: base64 }, ["media_type", "data"]),
  url: of({ type: anything, url: matching(/^https?:\/\//) }, ["url"]),
  file: of({ type: anything, file_id: text }, ["file_id"]),
});
const documentSource = variant("type", {
  base64: of({ type: anything, media_type: oneOf("application/pdf"), data: base64 }, ["media_type", "data"]),
  text: of({ type: anything, media_type: oneOf("text/plain"), data: text }, ["media_type", "data"]),
  url: of({ type: anything, url: matching(/^https?:\/\//) }, ["url"]),
  file: of({ type: anything, file_id: text }, ["file_id"]),
});
const textBlock = of({ ...mark, text: fullText, citations: anything }, ["text"]);
const imageBlock = of({ ...mark, source: imageSource }, ["source"]);
const documentBlock = of({ ...mark, source: documentSource, title: text, context: text, citations: record }, [
  "source",
]);
const result = list(variant("type", { text: textBlock, image: imageBlock, document: documentBlock }));
const userBlock = variant("type", {
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  tool_result: of({ ...mark, tool_use_id: toolId, content: textOr(result), is_error: flag }, ["tool_use_id"]),
});
const assistantBlock = variant("type", {
  text: textBlock,
  tool_use: of({ ...mark, id: toolId, name: toolName, input: record }, ["id", "name", "input"]),
  thinking: of({ type: anything, thinking: text, signature: text }, ["thinking", "signature"]),
  redacted_thinking: of({ type: anything, data: text }, ["data"]),
});
const message = variant("role", {
  user: of({ role: anything, content: textOr(list(userBlock, 1)) }, ["content"]),
  assistant: of({ role: anything, content: textOr(list(assistantBlock, 1)) }, ["content"]),
});
const schema: Check = (value, path) => {
  record(value, path);
  if (objectOf(value).type === undefined) reject("missing", "Field required", [...path, "type"]);
  if (objectOf(value).type !== "object") reject("value", "Input should be 'object'", [...path, "type"]);
};
const tool = of(
  {
    type: oneOf("custom"),
    name: toolName,
    description: text,
    input_schema: schema,
    strict: flag,
    cache_control: cache,
  },
  ["name", "input_schema"],
);
const choice = { type: anything, disable_parallel_tool_use: flag };
const request = of(
  {
    model: text,
    messages: list(message, 1),
    max_tokens: integer(1),
    system: textOr(list(variant("type", { text: textBlock }))),
    tools: list(tool),
    tool_choice: variant("type", {
      auto: of(choice),
      any: of(choice),
      tool: of({ ...choice, name: text }, ["name"]),
      none: of({ type: anything }),
    }),
    stop_sequences: list(text),
    stream: flag,
    temperature: number(0, 1),
    top_p: number(0, 1),
    top_k: integer(0),
    metadata: of({ user_id: text }),
    thinking: variant("type", {
      enabled: of({ type: anything, budget_tokens: integer(1024), display: text }, ["budget_tokens"]),
      adaptive: of({ type: anything, display: oneOf("summarized", "omitted") }),
      disabled: of({ type: anything }),
    }),
    output_config: of({
      effort: oneOf("low", "medium", "high", "xhigh", "max"),
      format: of({ type: oneOf("json_schema"), schema: record }, ["type", "schema"]),
    }),
    service_tier: oneOf("auto", "standard_only"),
    cache_control: cache,
    container: anything,
    inference_geo: text,
  },
  ["model", "messages", "max_tokens"],
);

/** No sampling parameters ("Migration guide": opus-4-7, sonnet-5 and later). */
const NO_SAMPLING = /^claude-(opus-4-[78]|(opus|sonnet|haiku|fable)-[5-9])/;
/** Not temperature and top_p together: from opus-4-1 and the 4-5 models on. */
const NOT_BOTH = /^claude-(opus-4-[1-9]|(sonnet|haiku)-4-[5-9]|(opus|sonnet|haiku|fable)-[5-9])/;
/** No forced tools, no prefill, no manual budget, no thinking switched off. */
const NEWEST = /^claude-(sonnet-5-5|opus-5-5|fable-)/;
const NO_BUDGET = /^claude-(sonnet-5-5|opus-5-5|haiku-5-5|fable-)/;
const NO_PREFILL = /^claude-((opus|sonnet|haiku|fable)-[5-9]|(opus|sonnet)-4-[678])/;
const OUTPUT_MAX: readonly (readonly [RegExp, number])[] = [
  [/^claude-opus-4-1/, 32_000],
  [/^claude-(opus|sonnet|haiku)-4-5/, 64_000],
  [/^claude-/, 128_000],
];

function checkSampling(body: JsonObject, model: string): void {
  const set = ["temperature", "top_p", "top_k"].filter((field) => body[field] !== undefined);
  const [first] = set;
  if (first !== undefined && NO_SAMPLING.test(model))
    reject("value", `\`${first}\` is not supported for this model.`, [first]);
  if (body.temperature !== undefined && body.top_p !== undefined && NOT_BOTH.test(model))
    reject(
      "value",
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    );
}

function checkThinking(body: JsonObject, model: string): boolean {
  const thinking = objectOf(body.thinking);
  const budget = numberOf(thinking.budget_tokens) ?? 0;
  if (budget >= Number(body.max_tokens))
    reject("value", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  if (thinking.type === "enabled" && NO_BUDGET.test(model))
    reject("value", '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".');
  if (thinking.type === "disabled" && NEWEST.test(model))
    reject("value", '"thinking.type.disabled" is not supported for this model.');
  const on = thinking.type === "enabled" || thinking.type === "adaptive";
  if (on && body.temperature !== undefined && body.temperature !== 1)
    reject("value", "`temperature` may only be set to 1 when thinking is enabled.");
  return on;
}

function checkChoice(body: JsonObject, model: string, thinks: boolean): void {
  const { type, name } = objectOf(body.tool_choice);
  const names = arrayOf(body.tools).map((each) => objectOf(each).name);
  if (type !== undefined && names.length === 0)
    reject("value", "tool_choice may only be specified while providing tools.", ["tool_choice"]);
  if (new Set(names).size < names.length) reject("value", "tools: Tool names must be unique.", ["tools"]);
  if (type !== "any" && type !== "tool") return;
  if (type === "tool" && !names.includes(name))
    reject("value", `Tool '${String(name)}' not found in provided tools`, ["tool_choice"]);
  if (thinks)
    reject("value", "Thinking may not be enabled when tool_choice forces tool use.", ["tool_choice"]);
  if (NEWEST.test(model))
    reject("value", "Forced tool use is not supported for this model.", ["tool_choice"]);
}

/** Results come first, all of them, and answer exactly the calls of the turn before. */
function checkResults(blocks: readonly JsonObject[], asked: readonly string[], at: number): void {
  const open = new Set(asked);
  blocks.forEach((block, index) => {
    if (block.type !== "tool_result") return;
    const path: Path = ["messages", at, "content", index];
    const id = String(block.tool_use_id);
    if (!open.delete(id))
      reject(
        "value",
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        path,
      );
    if (blocks.slice(0, index).some((before) => before.type !== "tool_result"))
      reject("value", "`tool_result` blocks must come before other content.", path);
  });
  if (open.size > 0)
    reject(
      "value",
      `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      ["messages", at],
    );
}

function checkSignatures(blocks: readonly JsonObject[], at: number): void {
  blocks.forEach((block, index) => {
    const path: Path = ["messages", at, "content", index];
    if (block.type === "thinking" && block.signature !== sign(String(block.thinking)))
      reject("value", "Invalid `signature` in `thinking` block", path);
    if (block.type === "redacted_thinking" && block.data !== sign("redacted"))
      reject("value", "Invalid `data` in `redacted_thinking` block", path);
  });
}

function checkTurns(body: JsonObject, model: string): void {
  const messages = arrayOf(body.messages).filter(isObject);
  let asked: readonly string[] = [];
  messages.forEach(({ role, content }, at) => {
    // The real one merges turns of the same role; its relatives (Bedrock, older versions) don't.
    const expected = at % 2 === 0 ? "user" : "assistant";
    if (role !== expected)
      reject("value", `roles must alternate between "user" and "assistant", and the first must be "user"`, [
        "messages",
        at,
        "role",
      ]);
    if (content === "" && at < messages.length - 1)
      reject(
        "value",
        "all messages must have non-empty content except for the optional final assistant message",
        ["messages", at],
      );
    const blocks = arrayOf(content).filter(isObject);
    if (role === "user") checkResults(blocks, asked, at);
    else checkSignatures(blocks, at);
    asked = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
  });
  if (asked.length > 0) checkResults([], asked, messages.length);
  if (messages.at(-1)?.role === "assistant" && NO_PREFILL.test(model))
    reject(
      "value",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
}

/** With a budget, the assistant turn whose calls are being answered begins with its thinking ("Extended thinking"). */
function checkThoughtKept(body: JsonObject): void {
  const messages = arrayOf(body.messages).map(objectOf);
  const answering = arrayOf(messages.at(-1)?.content).some((block) => objectOf(block).type === "tool_result");
  const first = objectOf(arrayOf(messages.at(-2)?.content)[0]);
  if (!answering || first.type === "thinking" || first.type === "redacted_thinking") return;
  reject(
    "value",
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
    ["messages", messages.length - 2, "content", 0],
  );
}

function cacheMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + cacheMarks(each), 0);
  if (!isObject(value)) return 0;
  const own = value.cache_control === undefined ? 0 : 1;
  return own + cacheMarks(value.content);
}

function checkLimits(body: JsonObject, model: string): void {
  const [, most = Infinity] = OUTPUT_MAX.find(([pattern]) => pattern.test(model)) ?? [];
  if (Number(body.max_tokens) > most)
    reject(
      "value",
      `${String(body.max_tokens)} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
      ["max_tokens"],
    );
  if (arrayOf(body.stop_sequences).some((stop) => String(stop).trim() === ""))
    reject("value", "each stop sequence must contain non-whitespace", ["stop_sequences"]);
  const marks = cacheMarks(body.system) + cacheMarks(body.tools) + cacheMarks(body.messages);
  if (marks > CACHE_MARKS_MAX)
    reject("value", `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

/** Refuses what the real interface refuses ("Messages API", "Extended thinking", "Tool use"). */
export function checkMessagesRequest(body: JsonObject, model: string): void {
  request(body, []);
  checkLimits(body, model);
  checkSampling(body, model);
  const thinks = checkThinking(body, model);
  checkChoice(body, model, thinks);
  checkTurns(body, model);
  if (objectOf(body.thinking).type === "enabled") checkThoughtKept(body);
  const { schema: asked } = objectOf(objectOf(body.output_config).format);
  checkAnthropicSchema(asked, ["output_config", "format", "schema"]);
}
