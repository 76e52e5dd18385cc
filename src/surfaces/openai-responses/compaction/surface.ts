// OpenAI's route that compacts a conversation and returns what the next request begins with.
import { asArray, changeFields, type JsonObject } from "../../../core/json/json.ts";
import { missingParameter } from "../../../core/json/schema-fault.ts";
import type { RawRequest } from "../../../core/models/dialect.ts";
import type { ChatForm } from "../../../operations/chat/decoder.ts";
import { readFields } from "../../checker.ts";
import { refuseField } from "../../lane.ts";
import { Document, type Exchange, type Incoming, type Surface } from "../../surface.ts";
import { joinEarlier, makeKept } from "../stored.ts";
import { OPENAI_RESPONSES, readExchange } from "../surface.ts";
import { isSummary } from "./summary.ts";
import { addTrigger, listKeptMessages } from "./trigger.ts";

const OBJECT = "response.compaction";

const { counting: _counting, ...RESPONSES } = OPENAI_RESPONSES;

export const COMPACTIONS: Surface<ChatForm> = { ...RESPONSES, read: readCompactionRequest };

function readCompactionRequest(incoming: Incoming): Exchange<ChatForm> {
  const given = readFields(incoming.body);
  if (given.conversation) throw refuseField("conversation", "Send the whole input.");
  if (given.input === undefined && !given.previous_response_id) throw missingParameter("input");
  const { stream: _stream, ...rest } = given;
  const items = listItems(given);
  // A wrong input is refused as it came, in the words of /v1/responses.
  if (items === null) return readExchange({ ...incoming, body: rest });
  const body = { ...rest, input: addTrigger(items) };
  const messages = listKeptMessages(joinEarlier(body, incoming).input);
  return makeObject(readExchange({ ...incoming, body }), messages);
}

/** Returns the request's own items, of which an earlier response needs none. Null if its input is no conversation. */
function listItems({ input, previous_response_id: previous }: JsonObject): readonly unknown[] | null {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  if (input === undefined) return [];
  if (!Array.isArray(input) || (input.length === 0 && !previous)) return null;
  return input;
}

/** The same request, answered by this route's object: the user's own messages, and the summary of all else. */
function makeObject(
  { compact, ...exchange }: Exchange<ChatForm>,
  messages: readonly unknown[],
): Exchange<ChatForm> {
  return {
    ...exchange,
    // A provider that compacts has the same route, which needs no trigger.
    raw: compact && exchange.raw ? withoutTrigger(exchange.raw) : exchange.raw,
    ...(compact ? { compact: (model) => makeObject(compact(model), messages) } : {}),
    ...(exchange.keep ? { keep: (_kept, answer) => makeKept({ input: [] }, answer) } : {}),
    whole(reply, stamp) {
      const answer = exchange.whole(reply, stamp);
      if (answer instanceof Document) return answer;
      const { id, object, created_at, output, usage } = answer;
      const items = object === OBJECT ? output : [...messages, ...asArray(output).filter(isSummary)];
      return { id, object: OBJECT, created_at, output: items, usage };
    },
  };
}

function withoutTrigger(raw: RawRequest): RawRequest {
  const items = asArray(raw.body.input).slice(0, -1);
  const input = items.length === 0 ? undefined : items;
  return { ...raw, body: changeFields(raw.body, { input }), isCompaction: true };
}
