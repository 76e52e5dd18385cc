// OpenAI's chat completions, the surface that uses the chat operation's own form.
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatReply, ChatRequest } from "../../operations/chat/form.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { NONE } from "../../operations/form.ts";
import { OPENAI_RESPONSES } from "../openai-responses/surface.ts";
import {
  type Exchange,
  type Incoming,
  OPENAI_FORM,
  type Stamp,
  type Surface,
  TRANSLATED,
} from "../surface.ts";
import { separateCitations } from "./citations.ts";
import { endCutCalls, endCutStream } from "./cut-calls.ts";
import { offersFunctions, withFunctionCall } from "./function-call.ts";
import { dropNested } from "./metadata.ts";
import { isResponsesBody } from "./other-forms.ts";
import { readChatRequest } from "./read.ts";
import { sealDetails } from "./said-entries.ts";
import { chatRequestSchema } from "./schema.ts";
import { makeChunkWriter } from "./writer.ts";

export const OPENAI_CHAT: Surface<ChatForm> = {
  ...OPENAI_FORM,
  name: "openai-chat",
  operation: CHAT,
  idPrefix: "chatcmpl-",
  fields: new Set(Object.keys(chatRequestSchema.properties)),
  read: readExchange,
};

function readExchange(incoming: Incoming): Exchange<ChatForm> {
  const { limits, seal } = incoming;
  const sent = asObject(incoming.body);
  const given = sent.metadata === undefined ? sent : dropNested(sent);
  if (given.messages === undefined && isResponsesBody(given)) return readResponses(incoming, given);
  const body = given === sent ? incoming.body : given;
  const asked = readChatRequest(body, limits, seal);
  const isUnstored = asked.store === true && limits.storesUpstream !== true;
  // All clients share the provider's account: nothing is stored there unless the operator allows it.
  const ask = isUnstored ? { ...asked, store: false } : asked;
  return new ChatExchange(ask, given, listDropped(isUnstored, given !== sent), asked.store === true, seal);
}

const NO_NAMES = {};
const SEED_NAMED = { seed: "random_seed" };

class ChatExchange implements Exchange<ChatForm> {
  readonly ask: ChatRequest;
  readonly dropped: readonly string[];
  readonly isToBeStored: boolean;
  readonly names: Readonly<Record<string, string>>;
  // Nothing is lost: the chat form is this surface's own.
  readonly lost = TRANSLATED.lost;
  readonly isLimitRequired = TRANSLATED.isLimitRequired;
  readonly searches = TRANSLATED.searches;
  readonly unreadBytes = TRANSLATED.unreadBytes;
  readonly raw = TRANSLATED.raw;
  readonly session = TRANSLATED.session;
  readonly #offersFunctions: boolean;
  readonly #seal: Sealer;

  constructor(
    ask: ChatRequest,
    given: JsonObject,
    dropped: readonly string[],
    isToBeStored: boolean,
    seal: Sealer,
  ) {
    this.#seal = seal;
    this.ask = ask;
    this.dropped = dropped;
    this.isToBeStored = isToBeStored;
    this.names = given.random_seed === undefined ? NO_NAMES : SEED_NAMED;
    this.#offersFunctions = given.functions !== undefined && offersFunctions(given);
  }

  whole(reply: ChatReply, stamp: Stamp): JsonObject {
    const shown = dropOwn(this.ask.tools === undefined ? reply : endCutCalls(reply), this.#seal);
    return writeWhole(this.#offersFunctions ? withFunctionCall(shown) : shown, stamp);
  }

  writer(stamp: () => Stamp) {
    const includeUsage = this.ask.stream_options?.include_usage === true;
    const options = { includeUsage, offersFunctions: this.#offersFunctions, seal: this.#seal };
    const writer = makeChunkWriter(stamp, options);
    return this.ask.tools === undefined ? writer : endCutStream(writer);
  }
}

function listDropped(isUnstored: boolean, isShortened: boolean): readonly string[] {
  if (!isShortened) return isUnstored ? STORE : NONE;
  return isUnstored ? [...STORE, "metadata"] : ["metadata"];
}

const STORE = ["store"];

/** Cursor sends requests of the Responses API to this route, and reads the answer in this route's form. */
function readResponses(incoming: Incoming, body: JsonObject): Exchange<ChatForm> {
  const { include_usage: isUsageAsked, ...others } = asObject(body.stream_options);
  const own = { ...body, stream_options: Object.keys(others).length > 0 ? others : undefined };
  const exchange = OPENAI_RESPONSES.read({ ...incoming, body: own, keeping: null, stored: null });
  // A summary is an answer of its own form.
  const { kept: _kept, keep: _keep, compact: _compact, ...read } = exchange;
  const { tools } = exchange.ask;
  const { seal } = incoming;
  const options = { includeUsage: isUsageAsked === true, offersFunctions: false, seal };
  return {
    ...read,
    // The native lane answers in its own form.
    raw: null,
    isToBeStored: false,
    whole: (reply, stamp) =>
      writeWhole(dropOwn(tools === undefined ? reply : endCutCalls(reply), seal), stamp),
    writer(stamp) {
      const writer = makeChunkWriter(stamp, options);
      return tools === undefined ? writer : endCutStream(writer);
    },
  };
}

function hasOwn({ message }: ChatReply["choices"][number]): boolean {
  const { parts, annotations, web_searches: searches, reasoning_details: details } = message;
  return Boolean(parts || annotations || searches || details);
}

/** Returns the answer without what its messages have for other surfaces alone, and with what the gateway has said sealed. */
function dropOwn(reply: ChatReply, seal: Sealer): ChatReply {
  return reply.choices.some(hasOwn) ? sealOwn(reply, seal) : reply;
}

/** Its closure makes a scope in each call: most answers are shown as they are. */
function sealOwn(reply: ChatReply, seal: Sealer): ChatReply {
  const choices = reply.choices.map((choice) => {
    const { parts: _parts, ...message } = choice.message;
    return { ...choice, message: sealDetails(separateCitations(message), seal) };
  });
  return { ...reply, choices };
}

function writeWhole(reply: JsonObject, stamp: Stamp): JsonObject {
  const { id, created, model } = stamp;
  const written: JsonObject = { id, object: "chat.completion", created, model };
  // No field of a provider's overrides the head. Only other surfaces show its answer verbatim.
  for (const field in reply)
    if (field !== "verbatim" && !Object.hasOwn(written, field)) written[field] = reply[field];
  // OpenRouter's form requires the field, and OpenAI's own answers may have none of it.
  written.system_fingerprint ??= null;
  return written;
}
