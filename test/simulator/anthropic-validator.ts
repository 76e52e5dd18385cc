// Validates requests to Anthropic's Messages beyond their shape: the order of turns and blocks, and what each model refuses
// by the product's own table.
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from "../../src/core/json/json.ts";
import { EFFORTS, findListed } from "../../src/dialects/anthropic/models.ts";
import { ALWAYS_THINKS } from "../../src/simulator/anthropic.ts";
import { type Path, reject } from "../../src/simulator/problem.ts";
import { signText } from "../../src/simulator/responder.ts";
import type { Incoming } from "../../src/simulator/types.ts";
import { MESSAGES_REQUEST } from "./anthropic-shapes.ts";
import { checkTargetRows } from "./rules/target-rules.ts";
import { checkAnthropicSchema } from "./schema-validator.ts";

const CACHE_MARKS_MAX = 4;
const CONTEXT_BETA = "context-management-2025-06-27";
/** Each lets a message set the effort from its turn on. Claude Code names the first. */
const TURN_BETAS = /per-turn-control-2026-07-01|mid-conversation-output-config-2026-07-01/;
const BINDING_BETA = "thinking-binding-controls-2026-08-01";
const OUTPUT_MAX: readonly (readonly [RegExp, number])[] = [
  [/^claude-opus-4-1/, 32_000],
  [/^claude-(opus|sonnet|haiku)-4-5/, 64_000],
  [/^claude-/, 128_000],
];

function checkSampling(body: JsonObject, model: string): void {
  const traits = findListed(model);
  if (traits === undefined) return;
  const taken = { temperature: traits.temperature, top_p: traits.topP, top_k: traits.topK };
  for (const [field, isTaken] of Object.entries(taken))
    if (body[field] !== undefined && !isTaken) reject("value", `\`${field}\` is deprecated for this model.`);
  if (body.temperature !== undefined && body.top_p !== undefined && !traits.samplingPair)
    reject(
      "value",
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    );
}

function checkThinking(body: JsonObject, model: string, betas: string): boolean {
  const thinking = asObject(body.thinking);
  const { type } = thinking;
  if ((asNumber(thinking.budget_tokens) ?? 0) >= Number(body.max_tokens))
    reject("value", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  const traits = findListed(model);
  if (type === "enabled" && traits?.budgets === false)
    reject(
      "value",
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  if (type === "adaptive" && traits !== undefined && traits.thinking !== "adaptive")
    reject("value", "adaptive thinking is not supported on this model");
  const isOffRefused = type === "disabled" && ALWAYS_THINKS.test(model);
  if (isOffRefused || (type === "between_tools" && traits?.off !== "between_tools"))
    reject("value", `"thinking.type.${String(type)}" is not supported for this model.`);
  if (thinking.block_binding !== undefined && !betas.includes(BINDING_BETA))
    reject("unknown", "Extra inputs are not permitted", ["thinking", "block_binding"]);
  const on = type === "enabled" || type === "adaptive";
  if (on && body.temperature !== undefined && body.temperature !== 1)
    reject("value", "`temperature` may only be set to 1 when thinking is enabled.");
  if (on && typeof body.top_p === "number" && body.top_p < 0.95)
    reject("value", "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
  if (on && body.top_k !== undefined) reject("value", "`top_k` must be unset when thinking is enabled.");
  return on;
}

function rankEffort(effort: string): number {
  return EFFORTS.flatMap(String).indexOf(effort);
}

function checkEffort(body: JsonObject, model: string): void {
  const traits = findListed(model);
  const effort = asString(asObject(body.output_config).effort);
  if (traits === undefined || effort === undefined) return;
  const { efforts, quietEffort } = traits;
  if (efforts.length === 0) reject("value", "This model does not support the effort parameter.");
  if (!efforts.some((one) => one === effort))
    reject(
      "value",
      `This model does not support effort level '${effort}'. Supported levels: ${efforts.toSorted().join(", ")}.`,
    );
  const isQuiet = asObject(body.thinking).type === "disabled" && quietEffort !== null;
  if (isQuiet && rankEffort(effort) > rankEffort(quietEffort))
    reject(
      "value",
      `output_config.effort '${effort}' is not supported when thinking is disabled on this model. Use effort '${quietEffort}' or below, or enable thinking.`,
    );
}

function checkChoice(body: JsonObject, model: string, thinks: boolean): void {
  const { type, name } = asObject(body.tool_choice);
  const names = asArray(body.tools).map((each) => asObject(each).name);
  if (type !== undefined && names.length === 0)
    reject("value", "tool_choice may only be specified while providing tools.", ["tool_choice"]);
  if (new Set(names).size < names.length) reject("value", "tools: Tool names must be unique.", ["tools"]);
  if (type !== "any" && type !== "tool") return;
  if (type === "tool" && !names.includes(name))
    reject("value", `Tool '${String(name)}' not found in provided tools`, ["tool_choice"]);
  if (thinks)
    reject("value", "Thinking may not be enabled when tool_choice forces tool use.", ["tool_choice"]);
  if (findListed(model)?.forcedUse === false)
    reject("value", 'type "tool" and "any" are not supported for this model.', ["tool_choice"]);
}

/** Results must come first and answer exactly the calls of the previous turn. */
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
      reject(
        "value",
        `Did not find ${asked.length} \`tool_result\` block(s) at the beginning of this message. Messages following \`tool_use\` blocks must begin with a matching number of \`tool_result\` blocks.`,
        ["messages", at],
      );
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
    if (block.type === "thinking" && block.signature !== signText(String(block.thinking)))
      reject("value", "Invalid `signature` in `thinking` block", path);
    if (block.type === "redacted_thinking" && block.data !== signText("redacted"))
      reject("value", "Invalid `data` in `redacted_thinking` block", path);
  });
}

/** The vendor's rules for a system message between turns (LiteLLM, pull request 33807, probed live). */
function checkLateSystem(all: readonly JsonObject[], model: string): void {
  for (const [at, { role }] of all.entries()) {
    if (role !== "system") continue;
    const path: Path = ["messages", at, "role"];
    if (findListed(model)?.lateSystem !== true)
      reject("value", "role 'system' is not supported on this model", path);
    if (all[at - 1]?.role !== "user")
      reject("value", "a `system` message must directly follow a `user` message", path);
    const next = all[at + 1]?.role;
    if (next !== undefined && next !== "assistant")
      reject(
        "value",
        "a `system` message must be the last one, or be followed by an `assistant` message",
        path,
      );
  }
}

function checkTurns(body: JsonObject, model: string): void {
  const all = asArray(body.messages).filter(isObject);
  if (all.length > 0 && all[0]?.role !== "user")
    reject("value", 'first message must use the "user" role', ["messages"]);
  checkLateSystem(all, model);
  const messages = all.filter(({ role }) => role !== "system");
  let asked: readonly string[] = [];
  messages.forEach(({ role, content }, at) => {
    // Anthropic merges turns of the same role, but Bedrock and older versions don't.
    const expected = at % 2 === 0 ? "user" : "assistant";
    if (role !== expected)
      reject(
        "value",
        `roles must alternate between "user" and "assistant", but found multiple "${String(role)}" roles in a row`,
        ["messages"],
      );
    if (content === "" && at < messages.length - 1)
      reject(
        "value",
        "all messages must have non-empty content except for the optional final assistant message",
        ["messages", at],
      );
    const blocks = asArray(content).filter(isObject);
    if (role === "user") checkResults(blocks, asked, at);
    else checkSignatures(blocks, at);
    asked = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
  });
  if (asked.length > 0) checkResults([], asked, messages.length);
  if (messages.at(-1)?.role === "assistant" && findListed(model)?.prefill === false)
    reject(
      "value",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
}

/** With a thinking budget, the assistant turn before tool results must begin with its thinking ("Extended thinking"). */
function checkThoughtKept(body: JsonObject): void {
  const messages = asArray(body.messages).map(asObject);
  const answering = asArray(messages.at(-1)?.content).some((block) => asObject(block).type === "tool_result");
  const first = asObject(asArray(messages.at(-2)?.content)[0]);
  if (!answering || first.type === "thinking" || first.type === "redacted_thinking") return;
  reject(
    "value",
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
    ["messages", messages.length - 2, "content", 0],
  );
}

function countCacheMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + countCacheMarks(each), 0);
  if (!isObject(value)) return 0;
  const own = value.cache_control === undefined ? 0 : 1;
  return own + countCacheMarks(value.content);
}

function checkLimits(body: JsonObject, model: string): void {
  const [, most = Infinity] = OUTPUT_MAX.find(([pattern]) => pattern.test(model)) ?? [];
  if (Number(body.max_tokens) > most)
    reject(
      "value",
      `${String(body.max_tokens)} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
      ["max_tokens"],
    );
  if (asArray(body.stop_sequences).some((stop) => String(stop).trim() === ""))
    reject("value", "each stop sequence must contain non-whitespace", ["stop_sequences"]);
  const marks = countCacheMarks(body.system) + countCacheMarks(body.tools) + countCacheMarks(body.messages);
  if (marks > CACHE_MARKS_MAX)
    reject("value", `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

/** Throws a Rejection for a request that Anthropic refuses ("Messages API", "Extended thinking", "Tool use"). */
export function checkMessagesRequest(body: JsonObject, model: string, headers: Incoming["headers"]): void {
  if (!headers["anthropic-version"]) reject("value", "anthropic-version: header is required");
  const betas = headers["anthropic-beta"] ?? "";
  MESSAGES_REQUEST(body, []);
  checkLimits(body, model);
  checkSampling(body, model);
  if (body.context_management !== undefined && !betas.includes(CONTEXT_BETA)) {
    reject("value", "context_management: Extra inputs are not permitted", ["context_management"]);
  }
  const turn = asArray(body.messages).findIndex((one) => asObject(one).output_config !== undefined);
  if (turn !== -1 && !TURN_BETAS.test(betas))
    reject("unknown", "Extra inputs are not permitted", ["messages", turn, "output_config"]);
  const thinks = checkThinking(body, model, betas);
  checkEffort(body, model);
  checkChoice(body, model, thinks);
  checkTurns(body, model);
  checkTargetRows(body, model);
  if (asObject(body.thinking).type === "enabled") checkThoughtKept(body);
  const { schema: asked } = asObject(asObject(body.output_config).format);
  checkAnthropicSchema(asked, ["output_config", "format", "schema"]);
}
