// Anthropic's Messages API, as Claude Code and the Anthropic SDKs use it, on every chat model.

import { parseBounded } from "../../core/json/bounds.ts";
import { followMade } from "../../core/json/growing.ts";
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import type { JsonShape } from "../../core/json/shape.ts";
import type { RawRequest } from "../../core/models/dialect.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatReply, ChatRequest, ReasoningEffort, ResponseFormat } from "../../operations/chat/form.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { EFFORT_DEFAULT, EFFORT_WORDS, parseEffort, toEffort } from "../../operations/chat/prompt/effort.ts";
import { listMedia } from "../../operations/chat/prompt/media.ts";
import { joinLists, NONE } from "../../operations/form.ts";
import { findOnlyCode } from "../asked/only-code.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { listFields, listLostFields, noteLostWord, type ReadFields, readWhole } from "../lost-fields.ts";
import { namePlaces } from "../places.ts";
import { nameSearch } from "../search.ts";
import type { Exchange, Incoming, Stamp, Surface } from "../surface.ts";
import { writeMessage } from "./answer.ts";
import { refuse } from "./errors.ts";
import { countUnreadBlocks, countUnreadTurns, hasCitations, readMessages, readSystem } from "./history.ts";
import { applyLane, BODY, passBetas } from "./lane.ts";
import { sanitizeTurns } from "./sanitize-turns.ts";
import { countSchema, messagesSchema } from "./schema.ts";
import { findSearchTool, SEARCH_NAMES } from "./searches.ts";
import { MESSAGES_TEXTS } from "./texts.ts";
import { listLostChanges, NO_CHANGES, readChangedTools, settleChanges } from "./tool-changes.ts";
import { readTools } from "./tools.ts";
import { MessageWriter } from "./writer.ts";

/** The fields that a translation carries. */
const READ_FIELDS: ReadFields = {
  ...readWhole("model", "messages", "system", "max_tokens", "stream", "cache_control", "output_format"),
  ...readWhole("temperature", "top_p", "top_k", "stop_sequences", "tools", "tool_choice"),
  metadata: ["user_id"],
  thinking: ["type", "budget_tokens"],
  output_config: ["effort", "format"],
};

const MESSAGES = new Checker(messagesSchema);
const COUNT_TOKENS = new Checker(countSchema);

export const ANTHROPIC_MESSAGES: Surface<ChatForm> = {
  name: "anthropic-messages",
  family: "anthropic",
  operation: CHAT,
  idPrefix: "msg_",
  fields: listFields(messagesSchema, READ_FIELDS, BODY),
  read: readExchange,
  refuse,
  counting: {
    isCounting: (path) => path.endsWith("/count_tokens"),
    read: ({ body, limits, seal }) => {
      const given = COUNT_TOKENS.check(readFields(body), "messages", limits.messagesMax);
      return readAsk(given, seal, given, null).ask;
    },
    write: (tokens) => ({ input_tokens: tokens }),
  },
};

function readExchange({ body, headers, limits, seal }: Incoming): Exchange<ChatForm> {
  const given: JsonObject = MESSAGES.check(readFields(body), "messages", limits.messagesMax);
  checkModelName(given.model);
  const lane = applyLane(given, limits);
  const betas = passBetas(headers, limits);
  const messages = asArray(lane.body.messages);
  const read = readAsk(lane.body, seal, given, lane.toolChanges);
  const unreadBytes = countUnreadBlocks(lane.body.system) + countUnreadTurns(messages) + lane.fetchedBytes;
  return new MessagesExchange(read, {
    raw: makeRaw(lane.body, sanitizeTurns(messages, seal), betas.betas),
    session: readSession(headers, given),
    searches: lane.searches,
    fetches: lane.fetches,
    unreadBytes,
    nativeOnly:
      read.nativeOnly ?? (read.ask.tools ? undefined : findOnlyCode(given.tools, given.tool_choice)),
    dropped: joinLists(lane.dropped, betas.dropped),
    names: nameFields(given, read.ask),
    seal,
  });
}

/** A request as it is written, and how its answer is. */
class MessagesExchange implements Exchange<ChatForm> {
  readonly ask: ChatRequest;
  readonly lost: readonly string[];
  readonly nativeOnly: Exchange<ChatForm>["nativeOnly"];
  readonly raw: RawRequest;
  readonly session: string | null;
  readonly searches: number;
  readonly fetches: number;
  readonly unreadBytes: number;
  readonly dropped: readonly string[];
  readonly names: Readonly<Record<string, string>>;
  readonly isLimitRequired = true;
  readonly #seal: Sealer;

  constructor({ ask, lost }: ReadAsk, given: ExchangeParts) {
    this.ask = ask;
    this.lost = lost;
    this.nativeOnly = given.nativeOnly;
    this.raw = given.raw;
    this.session = given.session;
    this.searches = given.searches;
    this.fetches = given.fetches;
    this.unreadBytes = given.unreadBytes;
    this.dropped = given.dropped;
    this.names = given.names;
    this.#seal = given.seal;
  }

  whole(reply: ChatReply, stamp: Stamp): JsonObject {
    return writeMessage(reply, stamp, this.#seal);
  }

  writer(stamp: () => Stamp): MessageWriter {
    return new MessageWriter(stamp, this.#seal);
  }
}

type ReadAsk = Pick<Exchange<ChatForm>, "ask" | "lost" | "nativeOnly">;

interface ExchangeParts
  extends Pick<
    MessagesExchange,
    "nativeOnly" | "raw" | "session" | "searches" | "fetches" | "unreadBytes" | "dropped" | "names"
  > {
  readonly seal: Sealer;
}

const NO_HEADERS = {};

function makeRaw(body: JsonObject, messages: readonly unknown[], betas: readonly string[]): RawRequest {
  return {
    family: "anthropic",
    body: messages === body.messages ? body : { ...body, messages },
    headers: betas.length > 0 ? { "anthropic-beta": betas.join(",") } : NO_HEADERS,
    texts: MESSAGES_TEXTS,
  };
}

const NAMES = {
  max_completion_tokens: "max_tokens",
  stop: "stop_sequences",
  user: "metadata",
  response_format: "output_config.format",
  parallel_tool_calls: "tool_choice",
  "messages.image_url": "messages.image",
  "messages.file": "messages.document",
};
const NAMES_OF_OUTPUT = { ...NAMES, reasoning_effort: "output_config" };
const NAMES_OF_THINKING = { ...NAMES, reasoning_effort: "thinking" };

function nameFields(given: JsonObject, ask: ChatRequest): MessagesExchange["names"] {
  const search = findSearchTool(given.tools);
  const own = given.thinking === undefined ? NAMES_OF_OUTPUT : NAMES_OF_THINKING;
  const isUsual = search === null && listMedia(ask).length === 0;
  return isUsual ? own : { ...own, ...nameSearch(search?.path ?? null, SEARCH_NAMES), ...namePlaces(ask) };
}

/** The messages of a request, which go on from those of the one before it. */
const CONVERSATION = {};

/** `toolChanges` has the places at which messages change tools, null if nobody has looked for them. */
function readAsk(
  body: JsonObject,
  seal: Sealer,
  given: JsonObject,
  toolChanges: readonly string[] | null,
): ReadAsk {
  const changed = toolChanges?.length === 0 ? NO_CHANGES : readChangedTools(body, toolChanges);
  const tools = readTools(body, given, changed.tools);
  const stops = body.stop_sequences === undefined ? NONE : readStops(body.stop_sequences);
  const system = readSystem(body.system);
  const read = readMessages(asArray(body.messages), seal);
  const settled = settleChanges(read.messages, changed, tools.front, tools.fields.tools);
  const ask: ChatRequest = omitUndefined({
    model: asString(body.model) ?? "",
    messages: [...system.messages, ...settled.messages],
    max_completion_tokens: asNumber(body.max_tokens),
    temperature: asNumber(body.temperature),
    top_p: asNumber(body.top_p),
    top_k: asNumber(body.top_k),
    stop: stops.length > 0 ? stops : undefined,
    stream: body.stream === true ? true : undefined,
    ...tools.fields,
    tools: settled.tools,
    user: asString(asObject(body.metadata).user_id) || undefined,
    reasoning_effort: readEffort(body),
    cache_control: body.cache_control,
    response_format: readFormat(body),
  });
  followMade(asArray(body.messages), ask.messages, CONVERSATION);
  const output = asObject(body.output_config);
  const words: string[] = [];
  noteLostWord(words, "thinking", asObject(body.thinking).type, THINKING);
  noteLostWord(words, "output_config.effort", output.effort, EFFORT_WORDS);
  noteLostWord(words, "output_config.format", asObject(output.format).type, FORMATS);
  const cited = hasCitations(asArray(body.messages)) ? CITATIONS : NONE;
  const lostChanges = listLostChanges(changed, tools.fields.tools);
  const lost = joinLists(listLostFields(body, READ_FIELDS), lostChanges, words, cited);
  const nativeOnly = read.nativeOnly ?? tools.demand;
  return { ask, lost: joinLists(lost, system.lost, read.lost, tools.dropped), nativeOnly };
}

const CITATIONS: readonly string[] = ["citations"];

function readStops(value: unknown): readonly string[] {
  return asArray(value).filter((stop) => typeof stop === "string");
}

const THINKING: ReadonlySet<unknown> = new Set(["enabled", "adaptive", "disabled"]);
const FORMATS: ReadonlySet<unknown> = new Set(["json_schema"]);

/** Undefined for the model's own default. */
function readEffort({ thinking, output_config: output }: JsonObject): ReasoningEffort | undefined {
  const { type, budget_tokens: budget } = asObject(thinking);
  if (type === "disabled") return "none";
  if (type === "enabled" && typeof budget === "number") return toEffort(budget);
  return parseEffort(asObject(output).effort) ?? (type === "enabled" ? EFFORT_DEFAULT : undefined);
}

/** Reads the answer's schema from its current or its earlier field. */
function readFormat(body: JsonObject): ResponseFormat | undefined {
  const format = asObject(asObject(body.output_config).format ?? body.output_format);
  if (format.type !== "json_schema" || !isObject(format.schema)) return undefined;
  return { type: "json_schema", json_schema: { name: "answer", schema: format.schema }, is_guaranteed: true };
}

/** Claude Code writes three fields. */
const SESSION_SHAPE: JsonShape = { depth: 4, elements: 64 };

/** Claude Code sends its session in a header, and as JSON text within the metadata. */
function readSession(headers: Headers, { metadata }: JsonObject): string | null {
  const named = headers.get("x-claude-code-session-id");
  if (named) return named;
  const text = asString(asObject(metadata).user_id);
  if (text === undefined) return null;
  return asString(asObject(parseBounded(text, SESSION_SHAPE)).session_id) ?? text;
}
