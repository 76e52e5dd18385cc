// A Messages request as a chat request, checked.
import type { RawRequest } from "../../core/dialect.ts";
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json.ts";
import type { Sealer } from "../../core/world.ts";
import type { ChatRequest, ReasoningEffort, ResponseFormat } from "../../operations/chat/form.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { parseEffort, toEffort } from "../effort.ts";
import type { Incoming } from "../surface.ts";
import { countUnreadBlocks, hasCitations, readMessages, readSystem, sanitizeTurns } from "./history.ts";
import { applyLane, passBetas } from "./lane.ts";
import { countSchema, messagesSchema } from "./schema.ts";
import { readTools } from "./tools.ts";

/** Fields that only Anthropic understands: the native lane carries them, a translation loses them. */
const NATIVE_FIELDS = ["context_management", "compaction", "cache_control", "mcp_servers"];

export interface MessagesRequest {
  readonly ask: ChatRequest;
  readonly raw: RawRequest;
  readonly session: string | null;
  readonly searches: number;
  /** Named whatever the lane. */
  readonly dropped: readonly string[];
  /** Named where the request is translated. */
  readonly unreadBytes: number;
  readonly lost: readonly string[];
}

const MESSAGES = new Checker(messagesSchema);
const COUNTED = new Checker(countSchema);

export function readMessagesRequest(incoming: Incoming): MessagesRequest {
  const { limits, seal, headers } = incoming;
  const given: JsonObject = MESSAGES.check(readFields(incoming.body), "messages", limits.messagesMax);
  checkModelName(given.model);
  const lane = applyLane(given, limits.remoteTools === true);
  const { betas, dropped } = passBetas(headers);
  const messages = sanitizeTurns(asArray(lane.body.messages), seal);
  const read = readAsk({ ...lane.body, messages: asArray(given.messages) }, seal);
  return {
    ask: read.ask,
    raw: {
      family: "anthropic",
      body: { ...lane.body, messages },
      headers: betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {},
    },
    session: readSession(headers, given),
    searches: lane.searches,
    unreadBytes: countUnreadBlocks(asArray(given.messages)),
    dropped: [...lane.dropped, ...dropped],
    lost: read.lost,
  };
}

/** The request of which only the tokens are counted. */
export function readCounted({ body, limits, seal }: Incoming): ChatRequest {
  return readAsk(COUNTED.check(readFields(body), "messages", limits.messagesMax), seal).ask;
}

function readAsk(
  body: JsonObject,
  seal: Sealer,
): { readonly ask: ChatRequest; readonly lost: readonly string[] } {
  const tools = readTools(body);
  const stops = asArray(body.stop_sequences).filter((stop) => typeof stop === "string");
  const userId = asString(asObject(body.metadata).user_id);
  const format = readFormat(body);
  const effort = readEffort(body);
  const ask: ChatRequest = {
    model: asString(body.model) ?? "",
    messages: [...readSystem(body.system), ...readMessages(asArray(body.messages), seal)],
    ...numberField("max_completion_tokens", body.max_tokens),
    ...numberField("temperature", body.temperature),
    ...numberField("top_p", body.top_p),
    ...numberField("top_k", body.top_k),
    ...(stops.length > 0 ? { stop: stops } : {}),
    ...(body.stream === true ? { stream: true } : {}),
    ...tools.fields,
    ...(userId === undefined || userId === "" ? {} : { user: userId }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(format === undefined ? {} : { response_format: format }),
  };
  const lost = NATIVE_FIELDS.filter((field) => body[field] !== undefined);
  const cited = hasCitations(asArray(body.messages)) ? ["citations"] : [];
  return { ask, lost: [...lost, ...cited, ...tools.dropped] };
}

function numberField(name: string, value: unknown): JsonObject {
  return typeof value === "number" ? { [name]: value } : {};
}

/** Undefined: the model's own default. */
function readEffort({ thinking, output_config: output }: JsonObject): ReasoningEffort | undefined {
  const { type, budget_tokens: budget } = asObject(thinking);
  const effort = asObject(output).effort;
  if (type === "disabled") return "none";
  if (type === "enabled" && typeof budget === "number") {
    return toEffort(budget);
  }
  return parseEffort(effort);
}

/** A schema for the answer, in its current place or its earlier one. */
function readFormat({
  output_config: output,
  output_format: earlier,
}: JsonObject): ResponseFormat | undefined {
  const format = asObject(asObject(output).format ?? earlier);
  if (format.type !== "json_schema" || !isObject(format.schema)) return undefined;
  return { type: "json_schema", json_schema: { name: "answer", schema: format.schema } };
}

/** Claude Code names its session in a header, and in a JSON text within the metadata. */
function readSession(headers: Headers, { metadata }: JsonObject): string | null {
  const named = headers.get("x-claude-code-session-id");
  if (named) return named;
  const text = asString(asObject(metadata).user_id);
  if (text === undefined) return null;
  return asString(asObject(parseJson(text)).session_id) ?? text;
}
